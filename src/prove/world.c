/*
 * Planting, mending and clearing a world.
 */
#include "prove/world.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/keyctl.h>
#include <pwd.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ipc.h>
#include <sys/mount.h>
#include <sys/msg.h>
#include <sys/prctl.h>
#include <sys/random.h>
#include <sys/sem.h>
#include <sys/shm.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "linux/tree.h"
#include "prove/world_parts.h"

#define APP_TEXT  "print('the caller wrote this')\n"
#define HOST_NAME "berm-prove-host"

static bool is_stand_in;

int world_stand_in(void)
{
    if (unshare(CLONE_NEWNS | CLONE_NEWUTS | CLONE_NEWIPC) < 0)
        return -errno;
    if (mount(NULL, "/", NULL, MS_REC | MS_PRIVATE, NULL) < 0 ||
        sethostname(HOST_NAME, strlen(HOST_NAME)) < 0)
        return -errno;
    is_stand_in = true;
    return 0;
}

bool world_is_stand_in(void)
{
    return is_stand_in;
}

static int random_hex(char *out, size_t size)
{
    unsigned char bytes[16];

    if (getrandom(bytes, sizeof(bytes), 0) != (ssize_t)sizeof(bytes))
        return -EIO;
    for (size_t i = 0; i < sizeof(bytes) && 2 * i + 2 < size; i++)
        (void)snprintf(out + 2 * i, 3, "%02x", bytes[i]);
    return 0;
}

int world_write_file(const char *path, const char *text, mode_t mode)
{
    AUTO_FD int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_NOFOLLOW | O_CLOEXEC, mode);
    size_t length = strlen(text);

    if (fd < 0)
        return -errno;
    if (fchmod(fd, mode) < 0)
        return -errno;
    ssize_t n = write(fd, text, length);
    return n < 0 ? -errno : n == (ssize_t)length ? 0 : -ENOSPC;
}

static int copy_guest(const char *from, const char *to)
{
    static char piece[65536];
    AUTO_FD int in = open(from, O_RDONLY | O_CLOEXEC);
    AUTO_FD int out = open(to, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0755);
    ssize_t n;

    if (in < 0 || out < 0)
        return -errno;
    while ((n = read(in, piece, sizeof(piece))) > 0) {
        ssize_t written = write(out, piece, (size_t)n);
        if (written != n)
            return written < 0 ? -errno : -ENOSPC;
    }
    return n < 0 || fchmod(out, 0755) < 0 ? -errno : 0;
}

/* The caller's home directory, where the first level with the filesystem layer hides things by itself. */
static int make_home(struct world *world)
{
    struct passwd entry;
    struct passwd *user = NULL;
    char buffer[4096];
    (void)getpwuid_r(geteuid(), &entry, buffer, sizeof(buffer), &user);
    /* By the password file, as berm finds what it hides; a variable may say anything. */
    const char *home = user ? user->pw_dir : "/";

    (void)snprintf(world->home, sizeof(world->home), "%s/.berm-prove-%s", home, world->name);
    if (strcmp(home, "/") != 0 && mkdir(world->home, 0700) == 0)
        return 0;
    world->is_home_elsewhere = true;
    (void)snprintf(world->home, sizeof(world->home), "/tmp/berm-prove-home-%s", world->name);
    return mkdir(world->home, 0700) < 0 ? -errno : 0;
}

static void name_things(struct world *world)
{
    const char *name = world->name;

#define NAME(member, ...) (void)snprintf(world->member, sizeof(world->member), __VA_ARGS__)
    NAME(work, "/tmp/berm-prove-%s/project", name);
    NAME(app, "/tmp/berm-prove-%s/project/app.py", name);
    NAME(guest, "/tmp/berm-prove-%s/berm-guest", name);
    NAME(key_file, "%.400s/id_ed25519", world->home);
    NAME(tmp_file, "/tmp/berm-prove-%s/secret", name);
    NAME(shm_file, "/dev/shm/berm-prove-%s", name);
    NAME(drops[DROP_HOME], "%.400s/dropped", world->home);
    NAME(drops[DROP_TMP], "/tmp/berm-prove-%s/dropped", name);
    NAME(drops[DROP_USR], "/usr/local/berm-prove-%s", name);
    NAME(drops[DROP_ETC], "/etc/berm-prove-%s", name);
    NAME(drops[DROP_CGROUP], "%s/berm-prove-%s",
         access("/sys/fs/cgroup/memory/tasks", F_OK) == 0 ? "/sys/fs/cgroup/memory"
                                                          : "/sys/fs/cgroup",
         name);
#undef NAME
}

static int plant_files(struct world *world, const char *guest)
{
    char text[128];

    /* Others than the caller must not make anything here, except the one whom the run acts as. */
    if (mkdir(world->directory, 0755) < 0 || chmod(world->directory, 0755) < 0 ||
        mkdir(world->work, 0755) < 0)
        return -errno;
    int r = make_home(world);
    if (r < 0)
        return r;
    name_things(world);
    (void)snprintf(text, sizeof(text), "%s\n", world->secret);
    r = copy_guest(guest, world->guest);
    if (r == 0)
        r = world_write_file(world->key_file, text, 0600);
    if (r == 0)
        r = world_write_file(world->tmp_file, text, 0644);
    if (r == 0)
        r = world_write_file(world->shm_file, text, 0644);
    if (r == 0)
        r = world_write_file(world->app, APP_TEXT, 0644);
    return r;
}

/* Where the file lies on its file system: what open_by_handle_at(2) takes, whatever the root. */
static void note_handle(struct world *world)
{
    union {
        unsigned char room[sizeof(struct file_handle) + MAX_HANDLE_SZ];
        struct file_handle head;
    } file = {{0}};

    int mount_id = 0;

    file.head.handle_bytes = MAX_HANDLE_SZ;
    if (name_to_handle_at(AT_FDCWD, world->tmp_file, &file.head, &mount_id, 0) < 0)
        return;
    world->handle_type = file.head.handle_type;
    for (unsigned i = 0; i < file.head.handle_bytes && 2 * i + 2 < sizeof(world->handle); i++)
        (void)snprintf(world->handle + 2 * (size_t)i, 3, "%02x", file.head.f_handle[i]);
}

int world_send_message(const struct world *world)
{
    struct {
        long type;
        char text[64];
    } message = {.type = 1};

    (void)snprintf(message.text, sizeof(message.text), "%s", world->secret);
    return msgsnd(world->msg_id, &message, sizeof(message.text), IPC_NOWAIT) < 0 ? -errno : 0;
}

static int plant_shared(struct world *world)
{
    unsigned keys[3];

    if (getrandom(keys, sizeof(keys), 0) != (ssize_t)sizeof(keys))
        return -EIO;
    world->shm_key = (int)(keys[0] >> 1) | 1;
    world->sem_key = (int)(keys[1] >> 1) | 1;
    world->msg_key = (int)(keys[2] >> 1) | 1;
    world->shm_id = shmget(world->shm_key, 4096, IPC_CREAT | IPC_EXCL | 0666);
    world->sem_id = semget(world->sem_key, 1, IPC_CREAT | IPC_EXCL | 0666);
    world->msg_id = msgget(world->msg_key, IPC_CREAT | IPC_EXCL | 0666);
    if (world->shm_id < 0 || world->sem_id < 0 || world->msg_id < 0)
        return -errno;
    char *memory = shmat(world->shm_id, NULL, 0);
    if (memory == (char *)-1)
        return -errno;
    (void)snprintf(memory, 64, "%s", world->secret);
    (void)shmdt(memory);
    return world_send_message(world);
}

/* In a session keyring of this process's own: the caller's own keys stay out of reach of the attacks. */
static int plant_key(const struct world *world)
{
    if (syscall(SYS_keyctl, KEYCTL_JOIN_SESSION_KEYRING, NULL) < 0)
        return -errno;
    return syscall(SYS_add_key, "user", world->name, world->secret, strlen(world->secret),
                   KEY_SPEC_SESSION_KEYRING) < 0
               ? -errno
               : 0;
}

static int plant_terminal(struct world *world)
{
    world->terminal_fd = posix_openpt(O_RDWR | O_NOCTTY | O_CLOEXEC);
    if (world->terminal_fd < 0 || grantpt(world->terminal_fd) < 0 ||
        unlockpt(world->terminal_fd) < 0 ||
        ptsname_r(world->terminal_fd, world->terminal, sizeof(world->terminal)) != 0)
        return -errno;
    return fcntl(world->terminal_fd, F_SETFL, O_NONBLOCK) < 0 ? -errno : 0;
}

static void world_init(struct world *world)
{
    memset(world, 0, sizeof(*world));
    for (int i = 0; i < HONEYPOT_COUNT; i++)
        world->sockets[i] = -EBADF;
    world->leaked_fd = -EBADF;
    world->terminal_fd = -EBADF;
    world->shm_id = world->sem_id = world->msg_id = -1;
}

int world_plant(struct world *world, const char *guest, const char **ret_what)
{
    char digits[33] = "";

    world_init(world);
    *ret_what = "random numbers";
    int r = random_hex(digits, sizeof(digits));
    if (r < 0)
        return r;
    (void)snprintf(world->secret, sizeof(world->secret), "canary-%s", digits);
    r = random_hex(digits, sizeof(digits));
    (void)snprintf(world->name, sizeof(world->name), "%.12s", digits);
    (void)snprintf(world->directory, sizeof(world->directory), "/tmp/berm-prove-%s", world->name);
    (void)snprintf(world->work, sizeof(world->work), "%.400s/project", world->directory);
    (void)gethostname(world->host_name, sizeof(world->host_name) - 1);
    *ret_what = "files";
    if (r == 0)
        r = plant_files(world, guest);
    if (r == 0) {
        note_handle(world);
        *ret_what = "sockets";
        r = world_plant_sockets(world);
    }
    if (r == 0) {
        *ret_what = "shared memory, semaphores and messages";
        r = plant_shared(world);
    }
    if (r == 0) {
        *ret_what = "a pseudo-terminal";
        r = plant_terminal(world);
    }
    if (r == 0) {
        (void)plant_key(world); /* a kernel without keys: the attack finds none at any level */
        *ret_what = "a descriptor";
        world->leaked_fd = open(world->key_file, O_RDONLY | O_CLOEXEC);
        r = world->leaked_fd < 0 ? -errno : 0;
    }
    if (r == 0) {
        *ret_what = "a victim";
        r = world_mend(world);
    }
    return r;
}

bool world_take_drop(struct world *world, enum drop which)
{
    const char *path = world->drops[which];

    return which == DROP_CGROUP ? rmdir(path) == 0 : unlink(path) == 0;
}

bool world_take_app_change(struct world *world)
{
    char text[sizeof(APP_TEXT) + 1] = "";
    AUTO_FD int fd = open(world->app, O_RDONLY | O_NOFOLLOW | O_CLOEXEC);
    ssize_t n = fd < 0 ? -1 : read(fd, text, sizeof(text));

    if (n == (ssize_t)strlen(APP_TEXT) && memcmp(text, APP_TEXT, (size_t)n) == 0)
        return false;
    (void)unlink(world->app);
    (void)world_write_file(world->app, APP_TEXT, 0644);
    return true;
}

void world_clear(struct world *world)
{
    const char *name = strrchr(world->home, '/');

    world_end_victim(world);
    for (int i = 0; i < HONEYPOT_COUNT; i++)
        close_fd(&world->sockets[i]);
    close_fd(&world->leaked_fd);
    close_fd(&world->terminal_fd);
    if (world->shm_id >= 0)
        (void)shmctl(world->shm_id, IPC_RMID, NULL);
    if (world->sem_id >= 0)
        (void)semctl(world->sem_id, 0, IPC_RMID);
    if (world->msg_id >= 0)
        (void)msgctl(world->msg_id, IPC_RMID, NULL);
    if (world->shm_file[0] != '\0')
        (void)unlink(world->shm_file);
    for (int i = 0; i < DROP_COUNT && world->drops[0][0] != '\0'; i++)
        (void)world_take_drop(world, (enum drop)i);
    if (name && world->home[0] == '/') {
        char parent[WORLD_PATH_MAX];
        (void)snprintf(parent, sizeof(parent), "%.*s", (int)(name - world->home), world->home);
        AUTO_FD int fd = open(parent, O_PATH | O_DIRECTORY | O_CLOEXEC);
        (void)tree_remove(fd, name + 1);
    }
    AUTO_FD int tmp = open("/tmp", O_PATH | O_DIRECTORY | O_CLOEXEC);
    (void)tree_remove(tmp, world->directory + strlen("/tmp/"));
}

/*
 * What ordinary programs do: everything here must work inside.
 */
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <semaphore.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/inotify.h>
#include <sys/mman.h>
#include <sys/shm.h>
#include <sys/signalfd.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/timerfd.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "guest/guest.h"

#define PATIENCE_MS 5000

static volatile sig_atomic_t handled;

static void handler(int number)
{
    handled = number;
}

static void *answer(void *argument)
{
    *(int *)argument = 42;
    return argument;
}

static int use_threads(void)
{
    static int values[8];
    pthread_t workers[8];

    for (int i = 0; i < 8; i++) {
        int error = pthread_create(&workers[i], NULL, answer, &values[i]);

        if (error != 0)
            return -error;
    }
    for (int i = 0; i < 8; i++) {
        (void)pthread_join(workers[i], NULL);
        if (values[i] != 42)
            return -EIO;
    }
    return 0;
}

static int use_signals(void)
{
    struct sigaction action = {.sa_handler = handler};

    if (sigaction(SIGUSR1, &action, NULL) != 0 || raise(SIGUSR1) != 0)
        return -errno;
    return handled == SIGUSR1 ? 0 : -EIO;
}

static int use_signal_descriptor(void)
{
    struct signalfd_siginfo info;
    sigset_t set;
    int fd;

    (void)sigemptyset(&set);
    (void)sigaddset(&set, SIGUSR2);
    (void)sigprocmask(SIG_BLOCK, &set, NULL);
    fd = signalfd(-1, &set, SFD_CLOEXEC);
    if (fd < 0 || kill(getpid(), SIGUSR2) != 0 || read(fd, &info, sizeof(info)) < 0)
        return -errno;
    return info.ssi_signo == SIGUSR2 ? 0 : -EIO;
}

static int use_socket_pair(void)
{
    int pair[2];
    char letter = 'a';

    if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, pair) != 0 ||
        write(pair[0], &letter, 1) != 1 || read(pair[1], &letter, 1) != 1)
        return -errno;
    return 0;
}

static int use_local_server(void)
{
    struct sockaddr_un name = {.sun_family = AF_UNIX, .sun_path = "berm-guest-socket"};
    int server = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
    int client = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);

    (void)unlink(name.sun_path); /* of a run before in the same session */
    if (bind(server, (struct sockaddr *)&name, sizeof(name)) != 0 || listen(server, 1) != 0 ||
        connect(client, (struct sockaddr *)&name, sizeof(name)) != 0 ||
        accept4(server, NULL, NULL, SOCK_CLOEXEC) < 0)
        return -errno;
    return outcome_of(unlink(name.sun_path));
}

static int use_epoll(void)
{
    struct epoll_event event = {.events = EPOLLIN};
    int epoll = epoll_create1(EPOLL_CLOEXEC);
    int wake = eventfd(1, EFD_CLOEXEC);

    if (epoll < 0 || wake < 0 || epoll_ctl(epoll, EPOLL_CTL_ADD, wake, &event) != 0)
        return -errno;
    return epoll_wait(epoll, &event, 1, PATIENCE_MS) == 1 ? 0 : -EIO;
}

static int use_inotify(void)
{
    char buffer[4096];
    int fd = inotify_init1(IN_CLOEXEC);

    if (fd < 0 || inotify_add_watch(fd, ".", IN_CREATE) < 0 || mkdir("berm-guest-dir", 0700) != 0)
        return -errno;
    int r = outcome_of(read(fd, buffer, sizeof(buffer)));
    (void)rmdir("berm-guest-dir"); /* made above */
    return r;
}

static int use_timers(void)
{
    struct itimerspec soon = {.it_value = {.tv_nsec = 1000000}};
    struct sigevent event = {.sigev_notify = SIGEV_SIGNAL, .sigev_signo = SIGALRM};
    uint64_t ticks = 0;
    timer_t timer;
    int fd = timerfd_create(CLOCK_MONOTONIC, TFD_CLOEXEC);

    if (fd < 0 || timerfd_settime(fd, 0, &soon, NULL) != 0 || read(fd, &ticks, sizeof(ticks)) < 0)
        return -errno;
    (void)signal(SIGALRM, handler);
    handled = 0;
    if (timer_create(CLOCK_MONOTONIC, &event, &timer) != 0 ||
        timer_settime(timer, 0, &soon, NULL) != 0)
        return -errno;
    for (long end = now_ms() + PATIENCE_MS; handled == 0 && now_ms() < end;)
        (void)poll(NULL, 0, 10);
    return handled == SIGALRM ? 0 : -EIO;
}

static int use_shared_memory(void)
{
    int fd = shm_open("/berm-guest-shm", O_RDWR | O_CREAT, 0600);
    int id = shmget(IPC_PRIVATE, 4096, IPC_CREAT | 0600);
    sem_t *semaphore = sem_open("/berm-guest-sem", O_CREAT, 0600, 1);

    if (fd < 0 || ftruncate(fd, 4096) != 0 || id < 0 || semaphore == SEM_FAILED)
        return -errno;
    void *memory = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
    if (memory == MAP_FAILED || shmat(id, NULL, 0) == (void *)-1)
        return -errno;
    (void)shmctl(id, IPC_RMID, NULL);
    (void)sem_unlink("/berm-guest-sem");
    return outcome_of(shm_unlink("/berm-guest-shm"));
}

static int use_memory_file(void)
{
    int fd = memfd_create("berm-guest", MFD_CLOEXEC | MFD_ALLOW_SEALING);

    if (fd < 0 || ftruncate(fd, 4096) != 0)
        return -errno;
    return outcome_of(fcntl(fd, F_ADD_SEALS, F_SEAL_SHRINK));
}

static int use_executable_memory(void)
{
    void *memory = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

    if (memory == MAP_FAILED)
        return -errno;
    return outcome_of(mprotect(memory, 4096, PROT_READ | PROT_EXEC));
}

static int use_subprocesses(void)
{
    static char name[] = "berm-guest";
    static char word[] = "ids";
    char *argv[] = {name, word, NULL};
    posix_spawn_file_actions_t actions;
    int status = -1;
    pid_t pid;
    int error;

    (void)posix_spawn_file_actions_init(&actions); /* cannot fail with musl */
    (void)posix_spawn_file_actions_addopen(&actions, 1, "/dev/null", O_WRONLY, 0);
    error = posix_spawn(&pid, "/proc/self/exe", &actions, NULL, argv, environ);
    if (error != 0)
        return -error;
    if (waitpid(pid, &status, 0) != pid)
        return -errno;
    return WIFEXITED(status) && WEXITSTATUS(status) == 0 ? 0 : -EIO;
}

static int use_pidfd(void)
{
    pid_t pid = fork();

    if (pid == 0)
        _exit(0);
    struct pollfd ended = {.fd = (int)syscall(434, pid, 0), .events = POLLIN};
    if (ended.fd < 0)
        return -errno;
    int r = poll(&ended, 1, PATIENCE_MS) == 1 ? 0 : -EIO;
    (void)waitpid(pid, NULL, 0);
    return r;
}

static int use_shell(void)
{
    /* NOLINTNEXTLINE(cert-env33-c): whether a shell works is the question */
    FILE *pipe = popen("mkfifo f && (echo out > f &) && cat f && rm f", "re");
    char text[16] = "";

    if (!pipe)
        return -errno;
    char *got = fgets(text, sizeof(text), pipe);
    (void)pclose(pipe); /* the text says whether it worked */
    return got && strcmp(text, "out\n") == 0 ? 0 : -EIO;
}

static int use_files(void)
{
    struct stat info;
    int fd = open("berm-guest-file", O_RDWR | O_CREAT | O_CLOEXEC, 0600);

    if (fd < 0 || write(fd, "x", 1) != 1 || fsync(fd) != 0 || fchmod(fd, 0700) != 0 ||
        rename("berm-guest-file", "berm-guest-moved") != 0 || stat("berm-guest-moved", &info) != 0)
        return -errno;
    return outcome_of(unlink("berm-guest-moved"));
}

static int use_user_name(void)
{
    return access("/etc/passwd", R_OK) == 0 && isatty(0) == 0 ? 0 : -errno;
}

static const struct {
    const char *name;
    int (*use)(void);
} uses[] = {
    {"threads",           use_threads          },
    {"signals",           use_signals          },
    {"signal-descriptor", use_signal_descriptor},
    {"socket-pair",       use_socket_pair      },
    {"local-server",      use_local_server     },
    {"epoll",             use_epoll            },
    {"inotify",           use_inotify          },
    {"timers",            use_timers           },
    {"shared-memory",     use_shared_memory    },
    {"memory-file",       use_memory_file      },
    {"executable-memory", use_executable_memory},
    {"subprocesses",      use_subprocesses     },
    {"pidfd",             use_pidfd            },
    {"shell",             use_shell            },
    {"files",             use_files            },
    {"passwd",            use_user_name        },
};

static int ordinary(int argc, char **argv)
{
    int worst = 0;

    (void)argc;
    (void)argv;
    for (size_t i = 0; i < sizeof(uses) / sizeof(uses[0]); i++) {
        int r = uses[i].use();

        if (r != 0) {
            fact("%s:%s ", uses[i].name, errno_name(-r));
            worst = r;
        }
    }
    return worst;
}

const struct attempt ordinary_attempts[] = {
    {"ordinary", "",   0, ordinary},
    {NULL,       NULL, 0, NULL    },
};

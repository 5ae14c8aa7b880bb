/*
 * Claims about session/transfer.h, each beside a naive copy by path that the same plant does trick.
 */
/* cmocka.h needs the three before it. */
/* clang-format off */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>
/* clang-format on */

#include "session/transfer.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/fsuid.h>
#include <sys/mman.h>
#include <sys/mount.h>
#include <sys/wait.h>
#include <unistd.h>

#include "linux/tree.h"
#include "naive.h"

#define WORK_UID 54321
#define SECRET   "the secret of the caller"

static char base[] = "/tmp/berm-unit-transfer-XXXXXX";
static int base_fd;
static int out_fd;
static struct workspace_dir work;
static struct transfer_account account;
static struct transfer_report report;
static struct berm_error err;
static bool has_own_mounts;

static const char *below(const char *name)
{
    static char paths[2][256];
    static unsigned next;
    char *path = paths[next++ % 2];

    (void)snprintf(path, sizeof(paths[0]), "%s/%s", base, name);
    return path;
}

static void make_file(const char *name, const char *text)
{
    int fd = openat(base_fd, name, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0644);

    assert_true(fd >= 0);
    assert_int_equal(write(fd, text, strlen(text)), (ssize_t)strlen(text));
    assert_int_equal(close(fd), 0);
}

static void assert_holds(const char *name, const char *expected)
{
    char text[256] = "";
    int fd = openat(base_fd, name, O_RDONLY | O_CLOEXEC);

    assert_true(fd >= 0);
    assert_true(read(fd, text, sizeof(text) - 1) >= 0);
    assert_int_equal(close(fd), 0);
    assert_string_equal(text, expected);
}

static size_t count_names(const char *name)
{
    DIR *dir = opendir(below(name));
    size_t count = 0;

    assert_non_null(dir);
    while (readdir(dir))
        count++;
    assert_int_equal(closedir(dir), 0);
    return count - 2;
}

static int make_dir(const char *name)
{
    if (mkdirat(base_fd, name, 0755) < 0)
        return -1;
    if (fchownat(base_fd, name, work.uid, work.gid, 0) < 0)
        return -1;
    return openat(base_fd, name, O_PATH | O_DIRECTORY | O_CLOEXEC);
}

static int set_up(void **state)
{
    (void)state;
    strcpy(base + strlen(base) - 6, "XXXXXX");
    if (!mkdtemp(base) || chmod(base, 0755) < 0)
        return -1;
    base_fd = open(base, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    work.uid = geteuid() == 0 ? WORK_UID : geteuid();
    work.gid = geteuid() == 0 ? WORK_UID : getegid();
    work.work_fd = make_dir("work");
    work.staging_fd = make_dir("staging");
    if (base_fd < 0 || work.work_fd < 0 || work.staging_fd < 0 || mkdirat(base_fd, "out", 0755) < 0)
        return -1;
    out_fd = openat(base_fd, "out", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    make_file("secret", SECRET);
    account = (struct transfer_account){
        .caps = {.file_bytes = 1000, .total_bytes = 1500, .files = 3}
    };
    memset(&err, 0, sizeof(err));
    return out_fd < 0;
}

static int tear_down(void **state)
{
    (void)state;
    assert_int_equal(setfsuid((uid_t)-1), geteuid());
    assert_int_equal(setfsgid((gid_t)-1), getegid());
    assert_int_equal(count_names("staging"), 0);
    (void)close(out_fd);
    (void)close(work.work_fd);
    (void)close(work.staging_fd);
    (void)close(base_fd);
    return tree_remove(AT_FDCWD, base);
}

static int get(const char *name, const char *as)
{
    const struct transfer_place place = {.stream_fd = -1, .dir_fd = out_fd, .name = as};

    return transfer_out(&work, name, &place, &account, &report, &err);
}

static int put(const char *text, const char *name)
{
    const struct transfer_source source = {.fd = memfd_create("source", MFD_CLOEXEC),
                                           .mode = 06755};

    assert_true(write(source.fd, text, strlen(text)) >= 0);
    assert_int_equal(lseek(source.fd, 0, SEEK_SET), 0);
    int r = transfer_in(&work, name, &source, &account, &report, &err);
    assert_int_equal(close(source.fd), 0);
    return r;
}

static void assert_refused(int r, int number, const char *word)
{
    assert_int_equal(r, -number);
    assert_int_equal(err.code, BERM_E_INVALID);
    assert_non_null(strstr(err.message, word));
    assert_true(err.cure[0] != '\0');
    assert_int_equal(account.used.files, 0);
}

static void assert_get_refused(const char *name, int number, const char *word)
{
    assert_refused(get(name, "got"), number, word);
    assert_int_equal(faccessat(out_fd, "got", F_OK, AT_SYMLINK_NOFOLLOW), -1);
    assert_int_equal(count_names("out"), 0);
}

static void files_go_in_and_come_out(void **state)
{
    struct stat status;

    (void)state;
    assert_int_equal(put("hello", "a/b/c"), 0);
    assert_holds("work/a/b/c", "hello");
    assert_int_equal(fstatat(base_fd, "work/a/b/c", &status, 0), 0);
    assert_int_equal(status.st_mode & 07777, 0755);
    assert_int_equal(status.st_uid, work.uid);
    assert_int_equal(fstatat(base_fd, "work/a", &status, 0), 0);
    assert_int_equal(status.st_uid, work.uid);
    assert_int_equal(put("again", "a/b/c"), 0);
    assert_holds("work/a/b/c", "again");
    assert_int_equal(get("a/b/c", "got"), 0);
    assert_holds("out/got", "again");
    assert_int_equal(fstatat(out_fd, "got", &status, 0), 0);
    assert_int_equal(status.st_mode & 07777, 0755);
    assert_int_equal(status.st_uid, geteuid());
    assert_int_equal(account.used.files, 3);
    assert_int_equal(account.used.bytes, 15);
    assert_int_equal(report.bytes, 5);
    assert_int_equal(get("a/b/c", "more"), -E2BIG);
    assert_int_equal(count_names("out"), 1);
}

static void a_link_is_not_followed_out(void **state)
{
    (void)state;
    assert_int_equal(symlinkat("../secret", work.work_fd, "link"), 0);
    assert_int_equal(symlinkat("..", work.work_fd, "up"), 0);
    assert_int_equal(naive_copy(below("work/link"), below("tricked")), strlen(SECRET));
    assert_int_equal(naive_copy(below("work/up/secret"), below("tricked")), strlen(SECRET));
    assert_get_refused("link", ELOOP, "link");
    assert_get_refused("up/secret", ELOOP, "link");
    assert_get_refused("../secret", EINVAL, "..");
}

static void a_hard_link_is_refused(void **state)
{
    (void)state;
    assert_int_equal(linkat(base_fd, "secret", work.work_fd, "second", 0), 0);
    assert_int_equal(naive_copy(below("work/second"), below("tricked")), strlen(SECRET));
    assert_get_refused("second", EMLINK, "hard link");
}

static void a_fifo_does_not_hold_the_copy_up(void **state)
{
    int status = 0;

    (void)state;
    assert_int_equal(mkfifoat(work.work_fd, "fifo", 0666), 0);
    pid_t pid = fork();
    if (pid == 0) {
        (void)signal(SIGALRM, SIG_DFL);
        (void)ualarm(200000, 0);
        (void)naive_copy(below("work/fifo"), below("tricked"));
        _exit(0);
    }
    assert_int_equal(waitpid(pid, &status, 0), pid);
    assert_true(WIFSIGNALED(status) && WTERMSIG(status) == SIGALRM);
    assert_get_refused("fifo", EINVAL, "fifo");
}

static void what_is_no_file_is_named(void **state)
{
    (void)state;
    assert_int_equal(mkdirat(work.work_fd, "dir", 0755), 0);
    make_file("work/plain", "");
    assert_get_refused("dir", EISDIR, "directory");
    assert_get_refused("plain/x", ENOTDIR, "not a directory");
    assert_get_refused("missing", ENOENT, "no such name");
}

/* Root would read it; the program could not. */
static void what_the_owner_cannot_read_stays(void **state)
{
    (void)state;
    if (geteuid() != 0)
        skip();
    make_file("work/private", SECRET);
    assert_int_equal(fchmodat(work.work_fd, "private", 0600, 0), 0);
    assert_int_equal(naive_copy(below("work/private"), below("tricked")), strlen(SECRET));
    assert_get_refused("private", EACCES, "permission");
}

static void a_link_at_the_destination_is_replaced(void **state)
{
    struct stat status;

    (void)state;
    make_file("work/file", "new");
    make_file("victim", "victim");
    assert_int_equal(symlinkat("../victim", out_fd, "got"), 0);
    assert_int_equal(naive_copy(below("work/file"), below("out/got")), 3);
    assert_holds("victim", "new");
    make_file("victim", "victim");
    assert_int_equal(get("file", "got"), 0);
    assert_holds("victim", "victim");
    assert_holds("out/got", "new");
    assert_int_equal(fstatat(out_fd, "got", &status, AT_SYMLINK_NOFOLLOW), 0);
    assert_true(S_ISREG(status.st_mode));
    assert_int_equal(status.st_mode & 07777, 0644);
}

static void a_bad_destination_is_refused(void **state)
{
    (void)state;
    make_file("work/file", "new");
    assert_int_equal(mkdirat(out_fd, "dir", 0755), 0);
    assert_int_equal(mkfifoat(out_fd, "fifo", 0644), 0);
    assert_refused(get("file", "dir"), EISDIR, "directory");
    assert_refused(get("file", "fifo"), EEXIST, "no regular file");
    assert_refused(get("file", "a/b"), EINVAL, "one name");
    assert_int_equal(count_names("out"), 2);
}

static void links_are_not_followed_in(void **state)
{
    (void)state;
    assert_int_equal(symlinkat("../secret", work.work_fd, "link"), 0);
    assert_int_equal(symlinkat("../out", work.work_fd, "dir"), 0);
    make_file("source", "planted");
    assert_int_equal(naive_copy(below("source"), below("work/link")), 7);
    assert_holds("secret", "planted");
    make_file("secret", SECRET);
    assert_refused(put("x", "link"), EEXIST, "no regular file");
    assert_holds("secret", SECRET);
    assert_true(put("x", "dir/file") < 0);
    assert_int_equal(err.code, BERM_E_INVALID);
    assert_int_equal(count_names("out"), 0);
    assert_int_equal(mkdirat(work.work_fd, "real", 0755), 0);
    assert_refused(put("x", "real"), EEXIST, "no regular file");
}

static void caps_are_kept(void **state)
{
    char text[1202];
    int pipe_fds[2];

    (void)state;
    memset(text, 'x', sizeof(text));
    text[sizeof(text) - 1] = '\0';
    make_file("work/big", text);
    assert_get_refused("big", EFBIG, "longer");
    assert_refused(put(text, "in"), EFBIG, "longer");
    assert_int_equal(pipe2(pipe_fds, O_CLOEXEC), 0);
    assert_int_equal(write(pipe_fds[1], text, sizeof(text)), sizeof(text));
    const struct transfer_source source = {.fd = pipe_fds[0], .mode = 0644};
    assert_int_equal(close(pipe_fds[1]), 0);
    assert_refused(transfer_in(&work, "in", &source, &account, &report, &err), EFBIG, "longer");
    assert_int_equal(close(pipe_fds[0]), 0);
    assert_int_equal(count_names("work"), 1);
    text[900] = '\0';
    assert_int_equal(put(text, "one"), 0);
    assert_int_equal(put(text, "two"), -EFBIG);
    text[600] = '\0';
    assert_int_equal(put(text, "two"), 0);
}

/* The reader's pipe holds the copy up until the file has grown: no race. */
static void a_file_that_grows_is_cut(void **state)
{
    static char text[200001];
    static char buffer[65536];
    int pipe_fds[2];
    int status = 0;
    uint64_t got = 0;

    (void)state;
    memset(text, 'x', sizeof(text) - 1);
    make_file("work/grows", text);
    account.caps = (struct transfer_caps){.file_bytes = 600000, .total_bytes = 600000, .files = 1};
    assert_int_equal(truncate(below("work/grows"), 600000), 0);
    assert_int_equal(pipe2(pipe_fds, O_CLOEXEC), 0);
    pid_t pid = fork();
    if (pid == 0) {
        const struct transfer_place place = {.stream_fd = pipe_fds[1]};
        int r = transfer_out(&work, "grows", &place, &account, &report, &err);
        _exit(r == 0 && report.is_cut && report.bytes == 600000 ? 0 : 1);
    }
    assert_int_equal(close(pipe_fds[1]), 0);
    assert_int_equal(read(pipe_fds[0], buffer, 1), 1); /* it has been opened and measured */
    assert_int_equal(truncate(below("work/grows"), 700000), 0);
    for (ssize_t n = 1; n > 0; got += (uint64_t)n)
        n = read(pipe_fds[0], buffer, sizeof(buffer));
    assert_int_equal(got + 1, 600000);
    assert_int_equal(waitpid(pid, &status, 0), pid);
    assert_int_equal(status, 0);
    assert_int_equal(close(pipe_fds[0]), 0);
}

static void without_staging_the_draft_is_in_the_work_directory(void **state)
{
    struct workspace_dir saved = work;

    (void)state;
    work.staging_fd = -1;
    assert_int_equal(put("x", "file"), 0);
    assert_int_equal(count_names("work"), 1);
    account.caps.file_bytes = 0;
    assert_int_equal(put("x", "other"), -EFBIG);
    assert_int_equal(count_names("work"), 1);
    assert_int_equal(transfer_clear_drafts(&work), 0);
    assert_int_equal(count_names("work"), 1);
    work = saved;
}

static void left_drafts_are_cleared(void **state)
{
    (void)state;
    make_file("staging/.berm-draft-1", "x");
    assert_int_equal(mkdirat(work.staging_fd, "dir", 0755), 0);
    assert_int_equal(fchownat(work.staging_fd, "dir", work.uid, work.gid, 0), 0);
    make_file("staging/dir/x", "x");
    assert_int_equal(transfer_clear_drafts(&work), 0);
    assert_int_equal(count_names("staging"), 0);
}

/* main() has made a namespace of the test's own: nothing is left when it dies. */
static void mount_small(const char *name)
{
    if (!has_own_mounts || mount("none", below(name), "tmpfs", 0, "size=16k,mode=777") < 0)
        skip();
}

static void a_full_work_directory_is_named_with_its_option(void **state)
{
    static char text[100001];
    struct workspace_dir small = work;

    (void)state;
    memset(text, 'x', sizeof(text) - 1);
    mount_small("work");
    account.caps = (struct transfer_caps){.file_bytes = 200000, .total_bytes = 200000, .files = 9};
    work.staging_fd = -1;
    work.work_fd = open(below("work"), O_PATH | O_DIRECTORY | O_CLOEXEC);
    assert_refused(put(text, "big"), ENOSPC, "full");
    assert_non_null(strstr(err.cure, "--work-size"));
    assert_int_equal(count_names("work"), 0);
    assert_int_equal(close(work.work_fd), 0);
    assert_int_equal(umount2(below("work"), MNT_DETACH), 0);
    work = small;
}

static void another_file_system_is_not_entered(void **state)
{
    (void)state;
    assert_int_equal(mkdirat(work.work_fd, "mounted", 0777), 0);
    mount_small("work/mounted");
    make_file("work/mounted/file", SECRET);
    assert_int_equal(naive_copy(below("work/mounted/file"), below("tricked")), strlen(SECRET));
    assert_get_refused("mounted/file", EXDEV, "another file system");
    assert_refused(put("x", "mounted/in"), EXDEV, "another file system");
    assert_int_equal(umount2(below("work/mounted"), MNT_DETACH), 0);
}

/* open(2) without O_NONBLOCK would wait for the holder, up to /proc/sys/fs/lease-break-time. */
static void a_lease_does_not_hold_the_copy_up(void **state)
{
    (void)state;
    make_file("work/leased", "x");
    int fd = openat(work.work_fd, "leased", O_RDWR | O_CLOEXEC);
    assert_true(fd >= 0);
    (void)signal(SIGIO, SIG_IGN);
    if (fcntl(fd, F_SETLEASE, F_WRLCK) < 0)
        skip();
    assert_get_refused("leased", EWOULDBLOCK, "lease");
    assert_int_equal(close(fd), 0);
}

#define CLAIM(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)

int main(void)
{
    const struct CMUnitTest tests[] = {
        CLAIM(files_go_in_and_come_out),
        CLAIM(a_link_is_not_followed_out),
        CLAIM(a_hard_link_is_refused),
        CLAIM(a_fifo_does_not_hold_the_copy_up),
        CLAIM(what_is_no_file_is_named),
        CLAIM(what_the_owner_cannot_read_stays),
        CLAIM(a_link_at_the_destination_is_replaced),
        CLAIM(a_bad_destination_is_refused),
        CLAIM(links_are_not_followed_in),
        CLAIM(caps_are_kept),
        CLAIM(a_file_that_grows_is_cut),
        CLAIM(without_staging_the_draft_is_in_the_work_directory),
        CLAIM(left_drafts_are_cleared),
        CLAIM(a_full_work_directory_is_named_with_its_option),
        CLAIM(another_file_system_is_not_entered),
        CLAIM(a_lease_does_not_hold_the_copy_up),
    };
    /* Before any directory is opened: a descriptor keeps the mounts of its time. */
    has_own_mounts = geteuid() == 0 && unshare(CLONE_NEWNS) == 0 &&
                     mount("", "/", "", MS_REC | MS_PRIVATE, NULL) == 0;
    return cmocka_run_group_tests(tests, NULL, NULL);
}

/*
 * Claims about policyreader/source.h.
 */
/* cmocka.h needs the three before it. */
/* clang-format off */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>
/* clang-format on */

#include "policyreader/source.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

/* A directory with a file of a given size, and the working directory in it. */
static int give_directory(void **state)
{
    char *directory = strdup("/tmp/berm-test-XXXXXX");
    *state = directory;
    return directory && mkdtemp(directory) && chdir(directory) == 0 ? 0 : -1;
}

static int take_directory(void **state)
{
    char *directory = *state;
    (void)unlink("p.json");
    (void)unlink("lesson");
    int ret = chdir("/") == 0 && rmdir(directory) == 0 ? 0 : -1;
    free(directory);
    return ret;
}

#define directory_test(function)                                                                   \
    cmocka_unit_test_setup_teardown(function, give_directory, take_directory)

static void make(const char *name, size_t size)
{
    int fd = open(name, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
    assert_true(fd >= 0);
    assert_int_equal(ftruncate(fd, (off_t)size), 0);
    assert_int_equal(close(fd), 0);
}

static void assert_loads(const char *file, size_t size)
{
    struct source source = {0};
    struct berm_error err = {0};
    if (source_load(file, &source, &err) != 0)
        fail_msg("%s", err.message);
    assert_int_equal(source.size, size);
    assert_string_equal(source.name, file);
    assert_int_equal(source.bytes[size], 0);
    source_done(&source);
    assert_null(source.bytes);
}

static void assert_fails(const char *file, int ret, const char *part)
{
    struct source source = {0};
    struct berm_error err = {0};
    assert_int_equal(source_load(file, &source, &err), ret);
    assert_int_equal(err.code, BERM_E_INVALID);
    if (!strstr(err.message, part))
        fail_msg("\"%s\" does not say \"%s\"", err.message, part);
    assert_null(source.bytes);
}

static void a_path_has_a_slash_or_ends_in_json(void **state)
{
    (void)state;
    make("p.json", 5);
    make("lesson", 6);
    assert_loads("p.json", 5);
    assert_loads("./p.json", 5);
    assert_loads("./lesson", 6);
}

/* A file of that name in the current directory must not become the policy. */
static void a_bare_name_is_never_a_file_of_the_current_directory(void **state)
{
    (void)state;
    make("lesson", 6);
    struct source source = {0};
    struct berm_error err = {0};
    int ret = source_load("lesson", &source, &err);
    if (ret == 0)
        assert_int_not_equal(source.size, 6);
    else
        assert_non_null(strstr(err.message, "there is no shipped policy \"lesson\""));
    source_done(&source);
    assert_fails("no-such-policy", -ENOENT, "there is no shipped policy \"no-such-policy\"");
}

static void a_file_ends_at_one_mebibyte(void **state)
{
    (void)state;
    make("p.json", SOURCE_SIZE_MAX);
    assert_loads("p.json", SOURCE_SIZE_MAX);
    make("p.json", SOURCE_SIZE_MAX + 1);
    assert_fails("p.json", -EINVAL, "larger than a policy can be");
    assert_fails("/dev/zero", -EINVAL, "larger than a policy can be");
}

/* A pipe hands over what it has: no single read sees the end. */
static void a_pipe_ends_at_one_mebibyte_too(void **state)
{
    (void)state;
    for (size_t extra = 0; extra < 2; extra++) {
        int ends[2];
        char name[32];
        assert_int_equal(pipe2(ends, 0), 0);
        pid_t pid = fork();
        assert_true(pid >= 0);
        if (pid == 0) {
            static char text[4096];
            (void)close(ends[0]);
            for (size_t i = 0; i < SOURCE_SIZE_MAX / sizeof(text); i++)
                (void)!write(ends[1], text, sizeof(text));
            (void)!write(ends[1], text, extra);
            _exit(0);
        }
        assert_int_equal(close(ends[1]), 0);
        (void)snprintf(name, sizeof(name), "/proc/self/fd/%d", ends[0]);
        if (extra == 0)
            assert_loads(name, SOURCE_SIZE_MAX);
        else
            assert_fails(name, -EINVAL, "larger than a policy can be");
        assert_int_equal(close(ends[0]), 0);
        assert_int_equal(waitpid(pid, NULL, 0), pid);
    }
}

static void what_cannot_be_read_is_named_with_the_cause(void **state)
{
    (void)state;
    assert_fails("nope.json", -ENOENT, "cannot read \"nope.json\": No such file or directory");
    assert_fails("/tmp", -EISDIR, "cannot read \"/tmp\": Is a directory");
    assert_fails("p.json/x", -ENOENT, "cannot read \"p.json/x\"");
    assert_fails("", -EINVAL, "names no policy");
    char name[PATH_MAX + 10];
    memset(name, '/', sizeof(name) - 1);
    name[sizeof(name) - 1] = '\0';
    assert_fails(name, -EINVAL, "names no policy");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        directory_test(a_path_has_a_slash_or_ends_in_json),
        directory_test(a_bare_name_is_never_a_file_of_the_current_directory),
        directory_test(a_file_ends_at_one_mebibyte),
        directory_test(a_pipe_ends_at_one_mebibyte_too),
        directory_test(what_cannot_be_read_is_named_with_the_cause),
    };
    return cmocka_run_group_tests_name("policyreader/source", tests, NULL, NULL);
}

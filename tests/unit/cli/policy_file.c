/*
 * Claims about cli/policy_file.h. Readers that misbehave are small shell scripts.
 */
/* cmocka.h needs the three before it. */
/* clang-format off */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>
/* clang-format on */

#include "cli/policy_file.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

struct place {
    char directory[64], reader[128], file[128];
    struct policy *policy;
    struct berm_error err;
};

static int give_place(void **state)
{
    struct place *place = calloc(1, sizeof(*place));
    if (!place)
        return -1;
    *state = place;
    (void)strcpy(place->directory, "/tmp/berm-test-XXXXXX");
    if (!mkdtemp(place->directory))
        return -1;
    (void)snprintf(place->reader, sizeof(place->reader), "%s/reader", place->directory);
    (void)snprintf(place->file, sizeof(place->file), "%s/policy.json", place->directory);
    place->policy = policy_new();
    return place->policy ? 0 : -1;
}

static int take_place(void **state)
{
    struct place *place = *state;
    (void)unlink(place->reader);
    (void)unlink(place->file);
    int ret = rmdir(place->directory); /* nothing else was left behind */
    policy_free(place->policy);
    free(place);
    return ret;
}

#define place_test(function) cmocka_unit_test_setup_teardown(function, give_place, take_place)

static void write_file(const char *path, const char *text, mode_t mode)
{
    int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, mode);
    assert_true(fd >= 0);
    assert_int_equal(write(fd, text, strlen(text)), strlen(text));
    assert_int_equal(close(fd), 0);
}

static int apply_script(struct place *place, const char *script)
{
    write_file(place->reader, script, 0700);
    return policy_file_apply_by(place->reader, place->file, place->policy, &place->err);
}

static int apply_text(struct place *place, const char *text)
{
    const char *reader = getenv("BERM_POLICY_READER");
    assert_non_null(reader);
    write_file(place->file, text, 0600);
    return policy_file_apply_by(reader, place->file, place->policy, &place->err);
}

static void assert_says(const struct place *place, const char *part)
{
    if (!strstr(place->err.message, part))
        fail_msg("\"%s\" does not say \"%s\"", place->err.message, part);
}

static int open_descriptors(void)
{
    int count = 0;
    DIR *directory = opendir("/proc/self/fd");
    assert_non_null(directory);
    while (readdir(directory))
        count++;
    assert_int_equal(closedir(directory), 0);
    return count;
}

static void the_values_of_a_file_arrive_with_their_origins(void **state)
{
    struct place *place = *state;
    int before = open_descriptors();

    assert_int_equal(apply_text(place,
                                "{\"level\": \"L5\",\n"
                                " \"limits\": {\"profile\": \"lesson\", \"memory\": \"5MiB\",\n"
                                "   \"cpus\": 1.25, \"processes\": 7},\n"
                                " \"env\": {\"env\": [\"A=1\", \"B=x y\\n\"]},\n"
                                " \"layers\": {\"network\": \"prefer\"}, \"strict\": true}"),
                     0);
    const struct policy *policy = place->policy;
    assert_int_equal(policy->level, L5);
    assert_int_equal(policy->profile, PROFILE_LESSON);
    assert_int_equal(policy->memory, 5ULL << 20);
    assert_int_equal(policy->cpus, 1250);
    assert_int_equal(policy->processes, 7);
    assert_int_equal(policy->wall, 1500000000ULL);
    assert_int_equal(policy->env.count, 2);
    assert_string_equal(policy->env.items[1], "B=x y\n");
    assert_int_equal(policy->modes[BERM_LAYER_NETWORK], MODE_PREFER);
    assert_true(policy->is_strict);
    assert_non_null(strstr(policy->origins[FIELD_memory], "policy.json:2: limits.memory"));
    assert_non_null(strstr(policy->origins[FIELD_processes], "policy.json:3: limits.processes"));

    assert_int_equal(open_descriptors(), before);
    assert_int_equal(waitpid(-1, NULL, WNOHANG), -1);
    assert_int_equal(errno, ECHILD);
}

static void a_wrong_file_gives_the_readers_message_and_cure(void **state)
{
    struct place *place = *state;

    assert_int_equal(apply_text(place, "{\"limits\": {\n\"memroy\": \"5MiB\"}}"), -EINVAL);
    assert_int_equal(place->err.code, BERM_E_INVALID);
    assert_says(place, "policy.json:2: limits.memroy: there is no such key here");
    assert_string_equal(place->err.cure, "did you mean memory?");
}

static void a_missing_file_is_named(void **state)
{
    struct place *place = *state;
    const char *reader = getenv("BERM_POLICY_READER");

    assert_int_equal(
        policy_file_apply_by(reader, "/does/not/exist.json", place->policy, &place->err), -EINVAL);
    assert_says(place, "cannot read \"/does/not/exist.json\": No such file");
}

static void a_missing_reader_is_named(void **state)
{
    struct place *place = *state;

    assert_true(policy_file_apply_by(place->reader, "x", place->policy, &place->err) < 0);
    assert_int_equal(place->err.code, BERM_E_SYSTEM);
    assert_says(place, "cannot start ");
    assert_says(place, place->reader);
}

static void half_a_record_is_a_defect_not_a_value(void **state)
{
    struct place *place = *state;

    assert_int_equal(
        apply_script(place, "#!/bin/sh\nprintf 'level\\0L4\\0here\\0memory\\0001GiB'\n"), -EINVAL);
    assert_int_equal(place->err.code, BERM_E_INTERNAL);
    assert_int_equal(place->policy->memory, 512ULL << 20);
}

static void a_value_that_does_not_fit_is_refused_again(void **state)
{
    struct place *place = *state;

    assert_int_equal(apply_script(place, "#!/bin/sh\nprintf 'memory\\0005\\0here\\0'\n"), -EINVAL);
    assert_says(place, "here: \"5\" has no unit");
}

static void a_reader_that_dies_is_not_taken_for_an_empty_file(void **state)
{
    struct place *place = *state;

    assert_int_equal(apply_script(place, "#!/bin/sh\nkill -9 $$\n"), -EINVAL);
    assert_int_equal(place->err.code, BERM_E_INTERNAL);
    assert_says(place, "wait status 0x9");
    assert_int_equal(apply_script(place, "#!/bin/sh\necho oops >&2; exit 3\n"), -EINVAL);
    assert_int_equal(place->err.code, BERM_E_INTERNAL);
    assert_says(place, "oops");
}

static void a_flood_is_cut_off(void **state)
{
    struct place *place = *state;

    assert_int_equal(apply_script(place, "#!/bin/sh\nexec cat /dev/zero\n"), -EFBIG);
    assert_int_equal(place->err.code, BERM_E_SYSTEM);
}

static void the_reader_gets_no_variable_of_the_callers(void **state)
{
    struct place *place = *state;

    assert_int_equal(setenv("BERM_TEST_SECRET", "x", 1), 0);
    assert_int_equal(
        apply_script(place, "#!/bin/sh\nprintf 'env\\0A=%s\\0here\\0' \"$BERM_TEST_SECRET\"\n"), 0);
    assert_string_equal(place->policy->env.items[0], "A=");
    assert_int_equal(unsetenv("BERM_TEST_SECRET"), 0);
}

static int apply_without(struct place *place, unsigned closed)
{
    for (int fd = 0; fd < 3; fd++)
        if (closed & 1U << fd)
            (void)close(fd);
    int ret = policy_file_apply_by(place->reader, "x", place->policy, &place->err);
    return ret == 0 && place->policy->memory == 9ULL << 20 ? 0 : 1;
}

/* Daemons start their children so. In a child: the test needs its own. */
static void it_works_whichever_standard_descriptors_are_closed(void **state)
{
    struct place *place = *state;

    write_file(place->reader, "#!/bin/sh\necho x >&2\nprintf 'memory\\0009MiB\\0here\\0'\n", 0700);
    for (unsigned closed = 0; closed < 8; closed++) {
        pid_t pid = fork();
        assert_true(pid >= 0);
        if (pid == 0)
            _exit(apply_without(place, closed));
        int status = -1;
        assert_int_equal(waitpid(pid, &status, 0), pid);
        if (status != 0)
            fail_msg("with the descriptors of mask %u closed: status %d", closed, status);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        place_test(the_values_of_a_file_arrive_with_their_origins),
        place_test(a_wrong_file_gives_the_readers_message_and_cure),
        place_test(a_missing_file_is_named),
        place_test(a_missing_reader_is_named),
        place_test(half_a_record_is_a_defect_not_a_value),
        place_test(a_value_that_does_not_fit_is_refused_again),
        place_test(a_reader_that_dies_is_not_taken_for_an_empty_file),
        place_test(a_flood_is_cut_off),
        place_test(the_reader_gets_no_variable_of_the_callers),
        place_test(it_works_whichever_standard_descriptors_are_closed),
    };
    return cmocka_run_group_tests_name("cli/policy_file", tests, NULL, NULL);
}

/*
 * Claims about run/monitor.h: a census counts what is there at one instant, each process once.
 */
/* cmocka.h needs the three before it. */
/* clang-format off */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>
/* clang-format on */

#include "run/monitor.h"

#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

static pid_t sleeper(void)
{
    pid_t pid = fork();

    assert_true(pid >= 0);
    if (pid == 0) {
        for (;;)
            (void)pause();
    }
    return pid;
}

static void end(pid_t pid)
{
    assert_int_equal(kill(pid, SIGKILL), 0);
    assert_int_equal(waitpid(pid, NULL, 0), pid);
}

/* Without the second look 33 processes were counted where the kernel allowed 32. */
static void what_ended_meanwhile_does_not_count(void **state)
{
    struct census census = {0};
    pid_t stays = sleeper();
    pid_t ends = sleeper();

    (void)state;
    census_add_tasks(&census, stays);
    census_add_tasks(&census, ends);
    assert_int_equal(census_sum(&census), 2);
    end(ends);
    assert_int_equal(census_sum(&census), 1);
    end(stays);
    assert_int_equal(census_sum(&census), 0);
    census_done(&census);
}

static void what_was_met_twice_counts_once(void **state)
{
    struct census census = {0};
    pid_t pid = sleeper();

    (void)state;
    census_add_tasks(&census, pid);
    census_add_tasks(&census, getpid());
    census_add_tasks(&census, pid);
    assert_int_equal(census_sum(&census), 2);
    end(pid);
    census_done(&census);
}

static void a_pid_given_again_is_another_process(void **state)
{
    struct census census = {0};
    pid_t pid = sleeper();

    (void)state;
    census_add_tasks(&census, pid);
    census.entries[0].start_ticks++;
    assert_int_equal(census_sum(&census), 0);
    end(pid);
    census_done(&census);
}

/* A zombie holds its PID and counts as the kernel counts it. */
static void a_zombie_counts_until_it_is_waited_for(void **state)
{
    struct census census = {0};
    pid_t pid = sleeper();
    siginfo_t info;

    (void)state;
    assert_int_equal(kill(pid, SIGKILL), 0);
    assert_int_equal(waitid(P_PID, (id_t)pid, &info, WEXITED | WNOWAIT), 0);
    census_add_tasks(&census, pid);
    assert_int_equal(census_sum(&census), 1);
    assert_int_equal(waitpid(pid, NULL, 0), pid);
    assert_int_equal(census_sum(&census), 0);
    census_done(&census);
}

static void many_entries_are_kept(void **state)
{
    struct census census = {0};
    pid_t pids[100];

    (void)state;
    for (size_t i = 0; i < 100; i++)
        census_add_tasks(&census, pids[i] = sleeper());
    assert_int_equal(census_sum(&census), 100);
    assert_int_equal(monitor_count_tasks(getpid(), true), 100);
    assert_int_equal(monitor_count_tasks(getpid(), false), 101);
    for (size_t i = 0; i < 100; i++)
        end(pids[i]);
    assert_int_equal(census_sum(&census), 0);
    census_done(&census);
}

static void memory_counts_what_is_there(void **state)
{
    struct census census = {0};
    pid_t pid = sleeper();

    (void)state;
    census_add_pss(&census, pid);
    assert_int_equal(census.count, 1);
    assert_true(census_sum(&census) >= 4096);
    end(pid);
    assert_int_equal(census_sum(&census), 0);
    census_done(&census);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_ended_meanwhile_does_not_count),
        cmocka_unit_test(what_was_met_twice_counts_once),
        cmocka_unit_test(a_pid_given_again_is_another_process),
        cmocka_unit_test(a_zombie_counts_until_it_is_waited_for),
        cmocka_unit_test(many_entries_are_kept),
        cmocka_unit_test(memory_counts_what_is_there),
    };

    return cmocka_run_group_tests_name("run/monitor", tests, NULL, NULL);
}

/*
 * Claims about namespaces_of: what is made before there is a plan is what every plan then asks for.
 */
/* cmocka.h needs the three before it. */
/* clang-format off */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>
/* clang-format on */

#include <stdlib.h>
#include <string.h>

#include "layers/choices.h"
#include "layers/layer.h"
#include "linux/host.h"
#include "policy/policy.h"

static const char *const words[] = {"limits",     "env",        "process", "network",
                                    "filesystem", "privileges", "syscalls"};

#define LAYERS (sizeof(words) / sizeof(words[0]))

/* A machine that has everything. */
static void fill_host(struct host *host)
{
    *host = (struct host){.kernel_major = 6, .kernel_minor = 18, .landlock_abi = 7, .cpu_count = 4};
    host->has_seccomp_filter = true;
    host->memory_bytes = 8ULL << 30;
    memcpy(host->state_dir, "/run/berm", sizeof("/run/berm"));
    for (unsigned i = 0; i < HOST_RLIMITS; i++)
        host->rlimit_hard[i] = UINT64_MAX;
    for (unsigned i = 0; i < CG_CONTROLLER_COUNT; i++)
        host->cgroup.controllers[i].block = BLOCK_CONTROLLER_MISSING;
}

static void compare(const char *level, unsigned off, const struct host *host)
{
    static char program[] = "true";
    char *argv[] = {program, NULL};
    char *environment[] = {NULL};
    struct request request = {.argv = argv, .caller_env = environment, .caller_cwd = "/"};
    struct policy *policy = policy_new();
    struct plan *plan = NULL;
    struct berm_error err = {0};

    assert_non_null(policy);
    assert_int_equal(policy_set(policy, "level", level, "--level", &err), 0);
    for (unsigned i = 0; i < LAYERS; i++) {
        if (off & 1U << i)
            assert_int_equal(policy_set(policy, "off", words[i], "--off", &err), 0);
    }
    if (layers_plan(policy, &request, host, &plan, &err) != 0)
        fail_msg("%s without %#x: %s", level, off, err.message);
    if (plan->clone_flags != namespaces_of(policy))
        fail_msg("%s without %#x: planned %#llx, foretold %#llx", level, off,
                 (unsigned long long)plan->clone_flags, (unsigned long long)namespaces_of(policy));
    free(plan);
    policy_free(policy);
}

static void every_plan_asks_for_what_was_foretold(void **state)
{
    static const char *const levels[] = {"L0", "L1", "L2", "L3", "L4", "L5", "L6"};
    struct host host;

    (void)state;
    for (int root = 0; root < 2; root++) {
        fill_host(&host);
        host.uid = root ? 0 : 1000;
        host.is_root = root != 0;
        for (size_t i = 0; i < sizeof(levels) / sizeof(levels[0]); i++) {
            for (unsigned off = 0; off < 1U << LAYERS; off++)
                compare(levels[i], off, &host);
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(every_plan_asks_for_what_was_foretold)};

    return cmocka_run_group_tests(tests, NULL, NULL);
}

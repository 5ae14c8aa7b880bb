/*
 * Defects planted on purpose, in an executable made for that alone: berm-defective, of the build option
 * planted_defects. `berm prove --defects` shows that a check catches each. In every other build IS_PLANTED() is false
 * and no name of a defect is in the executable (checks/test_checks).
 */
#ifndef BERM_PLAN_DEFECT_H
#define BERM_PLAN_DEFECT_H

#ifdef BERM_PLANTED_DEFECTS

/* The name, and where the line that it breaks stands. */
/* clang-format off */
#    define PLANTED_DEFECTS(X)                                                                     \
        X(fail_open, "cli/run_execute.c")                                                          \
        X(head_only, "run/capture.c")                                                              \
        X(capture_unbounded, "run/capture.c")                                                      \
        X(output_uncut, "cli/run_execute.c")                                                       \
        X(wall_unwatched, "run/limits.c, run/run.c, enter/init.c")                                            \
        X(soft_cpu_only, "layers/limits.c, run/limits.c")                                          \
        X(rlimits_unset, "enter/rlimits.c")                                                        \
        X(memory_group_unset, "run/groups.c")                                                      \
        X(sweep_nothing, "run/run.c")                                                              \
        X(sweep_session_only, "layers/process.c")                                                  \
        X(kill_child_only, "run/run.c")                                                            \
        X(session_kept, "enter/fds.c")                                                             \
        X(inherit_env, "layers/env.c")                                                             \
        X(work_dir_shared, "enter/fds.c")                                                          \
        X(keep_descriptors, "enter/fds.c")                                                         \
        X(keyring_kept, "enter/fds.c")                                                             \
        X(nproc_rlimit_only, "layers/process.c")                                                   \
        X(pid1_readable, "enter/init.c")                                                           \
        X(ipc_shared, "layers/process.c")                                                          \
        X(affinity_unset, "enter/rlimits.c")                                                       \
        X(net_joined_late, "layers/network.c")                                                     \
        X(hidden_path_writable, "enter/mounts.c")                                                  \
        X(readonly_top_mount_only, "enter/mounts.c")                                               \
        X(landlock_unset, "enter/landlock.c")                                                      \
        X(caps_effective_only, "enter/caps.c")                                                     \
        X(no_new_privs_unset, "enter/caps.c")                                                      \
        X(nesting_allowed, "enter/caps.c")                                                         \
        X(host_uid_shared, "layers/choices.c")                                                     \
        X(filter_unset, "enter/seccomp.c")                                                         \
        X(filter_native_abi_only, "run/planted_filter.c")                                          \
        X(filter_low_bits_only, "run/planted_filter.c")                                            \
        X(verdict_from_137, "run/outcome.c")                                                       \
        X(oom_stale, "linux/cgroup.c")                                                             \
        X(evidence_not_compared, "enter/evidence.c")

/* clang-format on */

enum planted_defect {
#    define DEFECT_MEMBER(name, place) DEFECT_##name,
    PLANTED_DEFECTS(DEFECT_MEMBER)
#    undef DEFECT_MEMBER
    DEFECT_COUNT
};

/* 1ULL << enum planted_defect; set once by main, before anything else. */
extern unsigned long long planted_defects;

#    define IS_PLANTED(name) ((planted_defects & (1ULL << DEFECT_##name)) != 0)
#else
#    define IS_PLANTED(name) 0
#endif

#endif

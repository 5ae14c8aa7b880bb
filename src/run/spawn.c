/*
 * From a plan to a child that runs the step table.
 *
 * Everything that can fail for want of rights or room is done here before the clone, where an error can
 * still be told in full.
 */
#include "run/spawn.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/clock.h"
#include "base/error.h"
#include "enter/enter.h"
#include "linux/clone.h"
#include "linux/file.h"
#include "linux/filter.h"
#include "linux/idmap.h"
#include "linux/perf.h"
#include "run/ends.h"
#include "run/files.h"
#include "run/groups.h"
#ifdef BERM_PLANTED_DEFECTS
#    include "run/planted_filter.h"
#endif
#include "run/vectors.h"

/* What a mapped mount has beside: MOUNT_ATTR_NOSUID and MOUNT_ATTR_NODEV (mount_setattr(2)). */
#define IDMAP_ATTRIBUTES (2ULL | 4ULL)

_Static_assert(ENTER_PARTS_MAX == RUN_PARTS_MAX, "a part without a row for its groups");
_Static_assert(ENTER_GROUPS == CG_CONTROLLER_COUNT, "a controller without a row");

static void read_namespaces(struct enter_context *context)
{
    AUTO_FD int fd = openat(AT_FDCWD, ENTER_NAMESPACE_DIRECTORY, O_PATH | O_DIRECTORY | O_CLOEXEC);

    for (unsigned i = 0; i < ENTER_NAMESPACES && context->plan->clone_flags != 0; i++) {
        char text[64];
        ssize_t n = readlinkat(fd, enter_namespaces[i].link, text, sizeof(text) - 1);

        text[n < 0 ? 0 : n] = '\0';
        const char *digits = strchr(text, '[');
        if (digits)
            (void)text_to_u64(digits + 1, &context->outer_namespace_ids[i]);
    }
}

/* The CPUs of this run: as many as planned, out of those that berm itself may use. Runs alive at the same
 * time have different slots and so begin at different CPUs. */
static void pick_cpus(const struct run_state *run, struct enter_context *context)
{
    cpu_set_t allowed;
    int wanted = context->plan->cpu_affinity_count;

    CPU_ZERO(&allowed);
    if (wanted <= 0 || sched_getaffinity(0, sizeof(allowed), &allowed) < 0)
        return;
    int total = CPU_COUNT(&allowed);
    int skip = total > 0 ? (int)(run->slot.number * (unsigned)wanted % (unsigned)total) : 0;
    for (int pass = 0; pass < 2; pass++) {
        for (size_t cpu = 0; cpu < CPU_SETSIZE && wanted > 0; cpu++) {
            if (!CPU_ISSET(cpu, &allowed) || skip-- > 0)
                continue;
            context->cpu_mask[cpu / 64] |= 1ULL << (cpu % 64);
            CPU_CLR(cpu, &allowed);
            wanted--;
        }
        skip = 0;
    }
}

static void fill_context(const struct run_state *run, unsigned index, const struct vectors *vectors,
                         const struct child_ends *child, struct enter_context *context)
{
    const struct part_state *part = &run->parts[index];
    const struct filter_program *filter = &filter_programs[part->plan->filter];

    context->plan = part->plan;
    context->argv = vectors->argv;
    context->envp = vectors->envp;
    context->candidates = vectors->candidates;
    context->control_fd = child->control;
    context->status_fd = child->parts[index].status;
    context->berm_pidfd = child->berm_pidfd;
    memcpy(context->stdio, child->parts[index].stdio, sizeof(context->stdio));
    context->work_path = run->slot.work_path;
    context->skeleton_path = run->skeleton.path;
    context->mapped_fds = part->mapped_fds;
#ifdef BERM_PLANTED_DEFECTS
    struct filter_program planted = planted_filter(filter);
    filter = &planted;
#endif
    context->filter = filter->statements;
    context->filter_count = filter->count;
    context->filter_probe_call = FILTER_PROBE_CALL;
    context->filter_probe_argument = FILTER_PROBE_ARGUMENT;
    context->filter_probe_errno = FILTER_PROBE_ERRNO;
    context->identity_start = part->io->identity_start;
    context->identity_size = part->io->identity_size;
    for (unsigned i = 0; i < ENTER_GROUPS; i++)
        context->group_dirs[i] = part->group.dirs[i][0] != '\0' ? part->group.dirs[i] : NULL;
    read_namespaces(context);
    pick_cpus(run, context);
}

static int write_map(pid_t pid, const char *file, uint32_t inside, uint32_t outside)
{
    char path[64];
    char text[64];

    (void)snprintf(path, sizeof(path), "/proc/%d/%s", (int)pid, file);
    (void)snprintf(text, sizeof(text), "%u %u 1", inside, outside);
    return file_write_at(AT_FDCWD, path, text);
}

static int deny_setgroups(pid_t pid)
{
    char path[64];

    (void)snprintf(path, sizeof(path), "/proc/%d/setgroups", (int)pid);
    return file_write_at(AT_FDCWD, path, "deny");
}

/* user_namespaces(7): one line each; without CAP_SETGID outside, setgroups must be denied first. */
static int write_maps(const struct run_state *run, pid_t pid, struct berm_error *err)
{
    const struct plan *plan = run->parts[0].plan;
    int r = 0;

    if (!plan_has(plan, PLAN_USER_NAMESPACE))
        return 0;
    if (!plan->drop_groups)
        r = deny_setgroups(pid);
    if (r == 0)
        r = write_map(pid, "gid_map", plan->inside_gid, run_outside_gid(run));
    if (r == 0)
        r = write_map(pid, "uid_map", plan->inside_uid, run_outside_uid(run));
    if (r == 0)
        return 0;
    enum host_block block = host_userns_block(-r);
    error_set(err, BERM_E_UNAVAILABLE, BERM_LAYER_PRIVILEGES, -r, host_block_cure(block),
              "cannot map the user of the new user namespace: %s (%s)", host_block_cause(block),
              strerror(-r));
    error_at_step(err, "id-maps");
    return r;
}

/* Which namespace is refused: each one that the plan asks for is tried alone. Row of enter_namespaces. */
static unsigned refused_namespace(uint64_t flags)
{
    for (unsigned i = 0; i < ENTER_NAMESPACES; i++) {
        AUTO_FD int pidfd = -EBADF;

        if (!(flags & enter_namespaces[i].clone_flag))
            continue;
        pid_t pid = clone_child(CLONE_NEWUSER | enter_namespaces[i].clone_flag, -1, &pidfd);
        if (pid == 0)
            _exit(0);
        if (pid < 0)
            return i;
        (void)waitpid(pid, NULL, 0);
    }
    return ENTER_NAMESPACES;
}

static int clone_failed(const struct plan *plan, int error, struct berm_error *err)
{
    unsigned row = refused_namespace(plan->clone_flags);
    bool is_named = row < ENTER_NAMESPACES;
    enum host_block block = host_userns_block(error);

    error_set(err, plan->clone_flags != 0 ? BERM_E_UNAVAILABLE : BERM_E_SYSTEM,
              is_named ? (enum berm_layer)plan->clone_owner[row] : BERM_LAYER_NONE, error,
              plan->clone_flags != 0 ? host_block_cure(block) : NULL,
              "cannot make a new %s namespace: %s (%s)",
              is_named ? enter_namespaces[row].name : "set of", host_block_cause(block),
              strerror(error));
    error_at_step(err, "clone");
    return -error;
}

/* Our ends must not live on in the child: closing them is how the other side learns. */
static void close_our_ends(const struct run_state *run)
{
    (void)close(run->control_fd);
    for (unsigned i = 0; i < run->part_count; i++) {
        (void)close(run->parts[i].status_fd); /* negative when the part is not of this child */
        (void)close(run->parts[i].input_fd);
        for (int k = 0; k < STREAM_COUNT; k++)
            (void)close(run->parts[i].output_fds[k]);
    }
}

struct first_process {
    const struct run_state *run;
    const struct enter_context *context;
};

/* On the cloner's stack, which a sanitizer does not know: it would complain to the program's own stderr. */
__attribute__((no_sanitize("address"))) static void first_main(void *argument)
{
    const struct first_process *first = argument;

    close_our_ends(first->run);
    enter_child(first->context);
}

static bool has_spoken(const struct part_state *part)
{
    struct pollfd slot = {.fd = part->status_fd, .events = POLLIN};

    return poll(&slot, 1, 0) == 1 && (slot.revents & POLLIN) != 0;
}

/* v1: while the child builds its tree, since nobody enters them before (a tenth of a cold run). */
static int make_late_groups(struct run_state *run, unsigned first, unsigned count,
                            struct berm_error *err)
{
    int r = 0;

    if (!plan_has(run->parts[first].plan, PLAN_GROUP_JOIN))
        return 0;
    for (unsigned i = first; r == 0 && i < first + count; i++)
        r = groups_make(&run->parts[i], err);
    return r < 0 ? r : groups_send(run, first, count, err);
}

static int clone_and_go(struct run_state *run, unsigned first, unsigned count,
                        struct child_ends *child, const struct enter_context *context,
                        struct berm_error *err)
{
    const struct part_state *part = &run->parts[first];
    const struct plan *plan = part->plan;
    int group_fd = plan_has(plan, PLAN_GROUP_CLONE) ? part->group.dir_fds[CG_MEMORY] : -1;
    struct berm_error ignored = {0};

    struct first_process first_process = {run, context};
    pid_t user = cloner_user(run->cloner, plan->clone_flags);
    bool is_mapped = user > 0 && write_maps(run, user, &ignored) == 0;
    pid_t pid = is_mapped ? cloner_clone(run->cloner, plan->clone_flags, group_fd, first_main,
                                         &first_process, &run->pidfd)
                          : -EAGAIN;
    if (pid < 0) {
        /* What the cloner could not do is tried again, and told. */
        cloner_end(run->cloner);
        is_mapped = false;
        pid = clone_child(plan->clone_flags, group_fd, &run->pidfd);
        if (pid == 0)
            first_main(&first_process);
    }
    if (pid < 0)
        return clone_failed(plan, -pid, err);
    run->pid = pid;
    int r = is_mapped ? 0 : write_maps(run, pid, err);
    if (r == 0 && plan_has(plan, PLAN_MONITOR_CPU))
        run->perf_fd = perf_clock_open(pid); /* refused: the monitor polls instead, and says so */
    if (r == 0)
        r = ends_say(run, "g", err);
    child_ends_close(child);
    if (r == 0)
        r = make_late_groups(run, first, count, err);
    if (r == 0)
        r = files_before(run, plan, err);
    /* A child that failed by itself has said why: the supervisor reads it. */
    return r < 0 && has_spoken(part) ? 0 : r;
}

static int map_failed(const struct plan_mount *row, const char *path, int error,
                      struct berm_error *err)
{
    bool is_callers = error == ENOENT || error == ENOTDIR || error == ELOOP || error == EACCES;

    error_set(err, is_callers ? BERM_E_INVALID : BERM_E_UNAVAILABLE, row->layer, error,
              is_callers ? "name a path that exists and that you may read"
                         : "name a directory on a file system that can map ids (ext4, xfs, btrfs, "
                           "tmpfs), or start berm as the directory's owner",
              is_callers ? "cannot bring in \"%s\": %s" : "cannot give %s to the run's own uid: %s",
              path, strerror(error));
    error_at_step(err, "map-ids");
    return -error;
}

/* Made here, since only root over the file system may map ids (idmap.h). */
static int map_mounts(const struct run_state *run, struct part_state *part, struct berm_error *err)
{
    const struct plan *plan = part->plan;

    for (uint32_t i = 0; i < plan->mount_count; i++) {
        const char *path = plan_text_of(plan, plan->mounts[i].source);

        if (!(plan->mounts[i].flags & MOUNT_FLAG_IDMAP))
            continue;
        part->mapped_fds[i] =
            idmap_open(path, run_outside_uid(run), run_outside_gid(run), IDMAP_ATTRIBUTES);
        if (part->mapped_fds[i] >= 0)
            continue;
        return map_failed(&plan->mounts[i], path, -part->mapped_fds[i], err);
    }
    return 0;
}

/* A socket and not a pipe: it carries descriptors too. Each message is read by itself. */
static int make_control(struct run_state *run, struct child_ends *child)
{
    int ends[2];

    if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends) < 0)
        return -errno;
    run->control_fd = ends[0];
    child->control = ends[1];
    return 0;
}

static int prepare_part(struct run_state *run, unsigned index, struct vectors *vectors,
                        struct child_ends *child, struct berm_error *err)
{
    struct part_state *part = &run->parts[index];

    int r = groups_name(run, part, err);
    if (r == 0 && plan_has(part->plan, PLAN_GROUP_CLONE))
        r = groups_make(part, err);
    if (r == 0)
        r = map_mounts(run, part, err);
    if (r < 0)
        return r;
    r = vectors_make(vectors, part->plan, run->slot.work_path);
    if (r == 0)
        r = ends_make(run, part, &child->parts[index]);
    if (r < 0)
        error_set(err, BERM_E_SYSTEM, BERM_LAYER_NONE, -r, NULL, "cannot prepare the run: %s",
                  strerror(-r));
    return r;
}

int run_spawn(struct run_state *run, unsigned first, unsigned count, struct berm_error *err)
{
    struct child_ends child;
    struct enter_context contexts[RUN_PARTS_MAX] = {0};
    struct vectors vectors[RUN_PARTS_MAX] = {0};
    struct enter_groups groups;
    int r = 0;

    groups_await(&groups, plan_has(run->parts[first].plan, PLAN_GROUP_JOIN));
    child_ends_init(&child);
    for (unsigned i = first; r == 0 && i < first + count; i++)
        r = prepare_part(run, i, &vectors[i], &child, err);
    if (r == 0) {
        r = make_control(run, &child);
        if (r < 0)
            error_set(err, BERM_E_SYSTEM, BERM_LAYER_NONE, -r, NULL, "cannot make a socket: %s",
                      strerror(-r));
    }
    if (r == 0) {
        child.berm_pidfd = pidfd_of_self(); /* negative: init has the control socket all the same */
        for (unsigned i = first; i < first + count; i++) {
            fill_context(run, i, &vectors[i], &child, &contexts[i]);
            contexts[i].part = i - first;
            contexts[i].groups = &groups;
            if (i > first)
                contexts[i - 1].next = &contexts[i];
        }
        r = clone_and_go(run, first, count, &child, &contexts[first], err);
    }
    child_ends_close(&child);
    for (unsigned i = 0; i < RUN_PARTS_MAX; i++)
        vectors_done(&vectors[i]);
    return r;
}

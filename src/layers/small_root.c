/*
 * The small root of L6: only what is listed exists.
 *
 * Rows are written in the order in which they are carried out; targets are relative to the new root.
 */
#include "layers/small_root.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "base/error.h"
#include "layers/choices.h"
#include "layers/host_loss.h"
#include "layers/landlock_rights.h"

#define LAYER BERM_LAYER_FILESYSTEM

/* Room for the names of mount points and for the synthesised files; read-only once it stands. */
#define ROOT_OPTIONS "size=2m,nr_inodes=4096,mode=0755"

static const char *const subtrees[] = {
#define SUBTREE(path, why) path,
#include "layers/root_tree.def"
#undef SUBTREE
};

_Static_assert(sizeof(subtrees) / sizeof(subtrees[0]) <= HOST_SUBTREES_MAX,
               "root_tree.def has more rows than the probe has bits");

const char *const *small_root_subtrees(size_t *ret_count)
{
    *ret_count = sizeof(subtrees) / sizeof(subtrees[0]);
    return subtrees;
}

struct made_file {
    const char *path, *content;
};

static const struct made_file made_files[] = {
    {"etc/passwd",        "root:x:0:0:root:/:/usr/sbin/nologin\n"
                   "user:x:1000:1000:user:" INSIDE_WORK ":/bin/sh\n"
                   "nobody:x:65534:65534:nobody:/nonexistent:/usr/sbin/nologin\n"      },
    {"etc/group",         "root:x:0:\nuser:x:1000:\nnogroup:x:65534:\n"                                  },
    {"etc/nsswitch.conf", "passwd: files\ngroup: files\nshadow: files\nhosts: files\n"
                          "networks: files\nprotocols: files\nservices: files\n"},
    {"etc/hosts",         "127.0.0.1 localhost berm\n::1 localhost\n"                                    },
    {"etc/hostname",      "berm\n"                                                                       },
    {"etc/resolv.conf",   ""                                                                             },
 /* What the evidence tries to open (enter/evidence.c): no rule allows it. */
    {".berm-landlock",    "Landlock keeps this file closed: berm tries it before each run.\n"            },
};

static const char *const devices[] = {"null", "zero", "full", "random", "urandom"};

struct link {
    const char *target, *path;
};

static const struct link links[] = {
    {"/proc/self/mounts",     "etc/mtab"      },
    {"../usr/lib/os-release", "etc/os-release"},
    {"/proc/self/fd",         "dev/fd"        },
    {"/proc/self/fd/0",       "dev/stdin"     },
    {"/proc/self/fd/1",       "dev/stdout"    },
    {"/proc/self/fd/2",       "dev/stderr"    },
    {"/tmp",                  "var/tmp"       },
    {"/run",                  "var/run"       },
};

static void directory(struct plan_builder *builder, const char *path)
{
    plan_add_mount(builder, &(struct mount_row){
                                .layer = LAYER, .op = MOUNT_DIR, .target = path, .mode = 0755});
}

static void system_directories(const struct host *host, struct plan_builder *builder)
{
    char path[32];

    plan_add_mount(
        builder,
        &(struct mount_row){.layer = LAYER, .op = MOUNT_SYSTEM, .source = "/usr", .target = "usr"});
    for (size_t i = 0; i < HOST_TOP_LINKS && host->top_links[i].name[0] != '\0'; i++) {
        const struct host_top_link *link = &host->top_links[i];

        if (link->target[0] != '\0') {
            plan_add_mount(builder, &(struct mount_row){.layer = LAYER,
                                                        .op = MOUNT_SYMLINK,
                                                        .source = link->target,
                                                        .target = link->name});
            continue;
        }
        (void)snprintf(path, sizeof(path), "/%s", link->name);
        plan_add_mount(
            builder, &(struct mount_row){
                         .layer = LAYER, .op = MOUNT_SYSTEM, .source = path, .target = link->name});
    }
}

static void configuration(const struct host *host, struct plan_builder *builder)
{
    directory(builder, "etc");
    for (size_t i = 0; i < sizeof(made_files) / sizeof(made_files[0]); i++)
        plan_add_mount(builder, &(struct mount_row){.layer = LAYER,
                                                    .op = MOUNT_FILE,
                                                    .target = made_files[i].path,
                                                    .data = made_files[i].content,
                                                    .mode = 0444});
    if (host->time_zone[0] != '\0')
        plan_add_mount(builder, &(struct mount_row){.layer = LAYER,
                                                    .op = MOUNT_SYMLINK,
                                                    .source = host->time_zone,
                                                    .target = "etc/localtime"});
    directory(builder, "var");
    directory(builder, "run");
    for (size_t i = 0; i < sizeof(subtrees) / sizeof(subtrees[0]); i++) {
        uint64_t bit = 1ULL << i;
        uint32_t kind = host->subtree_files & bit ? (uint32_t)MOUNT_FLAG_IS_FILE : 0u;

        if (host->time_zone[0] != '\0' && strcmp(subtrees[i], "/etc/localtime") == 0)
            continue;
        if (host->subtree_mask & bit)
            plan_add_mount(builder, &(struct mount_row){.layer = LAYER,
                                                        .op = MOUNT_SYSTEM,
                                                        .source = subtrees[i],
                                                        .target = subtrees[i] + 1,
                                                        .flags = MOUNT_FLAG_OPTIONAL | kind});
    }
}

static void device_nodes(const struct policy *policy, const struct request *request,
                         struct plan_builder *builder)
{
    char source[32];
    char options[96];

    directory(builder, "dev");
    for (size_t i = 0; i < sizeof(devices) / sizeof(devices[0]); i++) {
        (void)snprintf(source, sizeof(source), "/dev/%s", devices[i]);
        plan_add_mount(builder, &(struct mount_row){.layer = LAYER,
                                                    .op = MOUNT_SYSTEM,
                                                    .source = source,
                                                    .target = source + 1,
                                                    .flags = MOUNT_FLAG_DEV});
    }
    if (request->wants_tty)
        plan_add_mount(builder, &(struct mount_row){.layer = LAYER,
                                                    .op = MOUNT_SYSTEM,
                                                    .source = "/dev/tty",
                                                    .target = "dev/tty",
                                                    .flags = MOUNT_FLAG_DEV});
    directory(builder, "dev/shm");
    (void)snprintf(options, sizeof(options), "size=%llu,nr_inodes=%llu,mode=1777",
                   (unsigned long long)policy->shm_size, (unsigned long long)policy->tmp_files);
    plan_add_mount(builder,
                   &(struct mount_row){
                       .layer = LAYER, .op = MOUNT_TMPFS, .target = "dev/shm", .data = options});
}

/* glibc and Python size their pools by these files; the real ones show the host's CPUs. */
static void cpu_files(const struct plan *plan, struct plan_builder *builder)
{
    char list[32];

    if (plan->cpu_affinity_count <= 0)
        return;
    if (plan->cpu_affinity_count == 1)
        (void)snprintf(list, sizeof(list), "0\n");
    else
        (void)snprintf(list, sizeof(list), "0-%d\n", plan->cpu_affinity_count - 1);
    directory(builder, "sys");
    directory(builder, "sys/devices");
    directory(builder, "sys/devices/system");
    directory(builder, "sys/devices/system/cpu");
    plan_add_mount(builder, &(struct mount_row){.layer = LAYER,
                                                .op = MOUNT_FILE,
                                                .target = "sys/devices/system/cpu/online",
                                                .data = list,
                                                .mode = 0444});
    plan_add_mount(builder, &(struct mount_row){.layer = LAYER,
                                                .op = MOUNT_SYMLINK,
                                                .source = "online",
                                                .target = "sys/devices/system/cpu/possible"});
    plan_add_mount(builder, &(struct mount_row){.layer = LAYER,
                                                .op = MOUNT_SYMLINK,
                                                .source = "online",
                                                .target = "sys/devices/system/cpu/present"});
}

/* The run's own groups, read-only, where runtimes look for them: a JVM sizes its heap by them, and without
 * them by the host (research: ioi/isolate#14). */
static void group_view(const struct policy *policy, const struct host *host,
                       struct plan_builder *builder)
{
    static const char *const names[CG_CONTROLLER_COUNT] = {
        [CG_MEMORY] = "sys/fs/cgroup/memory",
        [CG_PIDS] = "sys/fs/cgroup/pids",
        [CG_CPU] = "sys/fs/cgroup/cpu",
        [CG_CPUACCT] = "sys/fs/cgroup/cpuacct",
    };

    if (host->cgroup.version == 2 && has_group(policy, host, CG_MEMORY)) {
        plan_add_mount(builder, &(struct mount_row){.layer = LAYER,
                                                    .op = MOUNT_GROUP,
                                                    .target = "sys/fs/cgroup",
                                                    .mode = CG_MEMORY});
        return;
    }
    for (unsigned i = 0; i < CG_CONTROLLER_COUNT; i++) {
        if (host->cgroup.version == 1 && has_group(policy, host, i))
            plan_add_mount(builder,
                           &(struct mount_row){
                               .layer = LAYER, .op = MOUNT_GROUP, .target = names[i], .mode = i});
    }
    /* OpenJDK looks at none of these unless a cpuset is mounted too ("Required cgroup v1 cpuset subsystem not
     * found"). One file of that hierarchy is enough, and shows no other group's name. */
    if (host->cgroup.version == 1 && has_group(policy, host, CG_MEMORY))
        plan_add_mount(builder,
                       &(struct mount_row){.layer = LAYER,
                                           .op = MOUNT_SYSTEM,
                                           .source = "/sys/fs/cgroup/cpuset/cpuset.cpus",
                                           .target = "sys/fs/cgroup/cpuset",
                                           .flags = MOUNT_FLAG_IS_FILE | MOUNT_FLAG_OPTIONAL});
}

static void writable_places(const struct policy *policy, const struct request *request,
                            struct plan_builder *builder)
{
    char options[96];
    char path[512];

    directory(builder, "tmp");
    (void)snprintf(options, sizeof(options), "size=%llu,nr_inodes=%llu,mode=1777",
                   (unsigned long long)policy->tmp_size, (unsigned long long)policy->tmp_files);
    plan_add_mount(
        builder,
        &(struct mount_row){.layer = LAYER, .op = MOUNT_TMPFS, .target = "tmp", .data = options});
    directory(builder, &INSIDE_WORK[1]);
    (void)snprintf(options, sizeof(options), "size=%llu,nr_inodes=%llu,mode=0755",
                   (unsigned long long)policy->work_size, (unsigned long long)policy->work_files);
    plan_add_mount(builder, &(struct mount_row){.layer = LAYER,
                                                .op = MOUNT_TMPFS,
                                                .target = &INSIDE_WORK[1],
                                                .data = options});
    for (size_t i = 0; i < request->file_count; i++) {
        (void)snprintf(path, sizeof(path), "%s/%s", &INSIDE_WORK[1], request->files[i].name);
        plan_add_mount(builder, &(struct mount_row){.layer = LAYER,
                                                    .op = MOUNT_FILE,
                                                    .target = path,
                                                    .data = request->files[i].text,
                                                    .mode = 0644});
    }
}

static void process_view(const struct policy *policy, struct plan_builder *builder)
{
    directory(builder, "proc");
    if (layer_is_on(policy, BERM_LAYER_PROCESS)) {
        plan_add_mount(builder, &(struct mount_row){.layer = LAYER,
                                                    .op = MOUNT_PROC,
                                                    .target = "proc",
                                                    .flags = MOUNT_FLAG_NOEXEC});
        return;
    }
    /* Taken before the new root covers /proc (enter/mounts.c). */
    plan_add_mount(builder, &(struct mount_row){.layer = LAYER,
                                                .op = MOUNT_BIND,
                                                .source = "/proc",
                                                .target = "proc",
                                                .flags = MOUNT_FLAG_RO | MOUNT_FLAG_NOEXEC |
                                                         MOUNT_FLAG_RECURSIVE});
    plan_add_note(builder, LAYER, "the process layer is off: /proc shows the host's processes");
}

/* One of the two lists of paths that the caller brings in. */
struct callers_list {
    const char *flag;
    const struct text_list *items;
    const char *const *resolved; /* NULL: as they are written */
    uint32_t flags;
};

static int callers_paths(const struct policy *policy, const struct host *host,
                         const struct callers_list *list, struct plan_builder *builder,
                         struct berm_error *err)
{
    char path[4096] = "";
    char at[4096] = "";

    for (size_t i = 0; i < list->items->count; i++) {
        const char *item = list->items->items[i];
        int r = policy_split_bind(item, path, sizeof(path), at, sizeof(at), err);
        if (r == 0 && !policy->accept_host_loss)
            r = refuse_host_loss(host, list->flag, list->resolved ? list->resolved[i] : path, err);
        if (r < 0)
            return r;
        if (strcmp(at, "/") == 0)
            return error_set(err, BERM_E_INVALID, LAYER, 0, "choose a directory below it",
                             "%s %s: the root itself cannot be replaced", list->flag, item);
        plan_add_mount(builder,
                       &(struct mount_row){.layer = LAYER,
                                           .op = MOUNT_BIND,
                                           .source = list->resolved ? list->resolved[i] : path,
                                           .target = at + 1,
                                           .flags = list->flags});
    }
    return 0;
}

static void rule(struct plan_builder *builder, const struct host *host, const char *path,
                 uint64_t access)
{
    plan_add_rule(builder, LAYER, path, access & landlock_rights(host->landlock_abi));
}

static void callers_rules(const struct text_list *list, uint64_t access, const struct host *host,
                          struct plan_builder *builder)
{
    char path[4096];
    char at[4096];

    for (size_t i = 0; i < list->count; i++) {
        if (policy_split_bind(list->items[i], path, sizeof(path), at, sizeof(at), NULL) == 0)
            rule(builder, host, at, access);
    }
}

static void landlock(const struct policy *policy, const struct host *host,
                     struct plan_builder *builder)
{
    const uint64_t read = RIGHT_READ_FILE | RIGHT_READ_DIR | RIGHT_EXECUTE;
    const uint64_t write =
        landlock_rights(host->landlock_abi) & ~(RIGHT_MAKE_CHAR | RIGHT_MAKE_BLOCK);
    static const char *const readable[] = {"/usr", "/etc", "/proc", "/var", "/run"};
    char path[32];
    char text[64];

    builder->plan->landlock_fs = landlock_rights(host->landlock_abi);
    if (host->landlock_abi >= 6)
        builder->plan->landlock_scoped = SCOPE_ABSTRACT_UNIX | SCOPE_SIGNAL;
    rule(builder, host, "/", RIGHT_READ_DIR);
    for (size_t i = 0; i < sizeof(readable) / sizeof(readable[0]); i++)
        rule(builder, host, readable[i], read);
    for (size_t i = 0; i < HOST_TOP_LINKS && host->top_links[i].name[0] != '\0'; i++) {
        if (host->top_links[i].target[0] != '\0')
            continue; /* leads into /usr, which has a rule */
        (void)snprintf(path, sizeof(path), "/%s", host->top_links[i].name);
        rule(builder, host, path, read);
    }
    if (layer_is_on(policy, BERM_LAYER_LIMITS))
        rule(builder, host, "/sys", read);
    rule(builder, host, "/dev",
         RIGHT_READ_FILE | RIGHT_WRITE_FILE | RIGHT_READ_DIR | RIGHT_IOCTL_DEV);
    rule(builder, host, "/dev/shm", write);
    rule(builder, host, "/tmp", write);
    rule(builder, host, INSIDE_WORK, write);
    callers_rules(&policy->ro, read, host, builder);
    callers_rules(&policy->rw, write, host, builder);
    (void)snprintf(text, sizeof(text), "Landlock ABI %d", host->landlock_abi);
    plan_add_claim(builder, LAYER, CLAIM_EXACT, "a second wall around the listed paths", text);
}

static bool is_below_work(const char *path)
{
    size_t length = strlen(&INSIDE_WORK[1]);

    return strncmp(path, &INSIDE_WORK[1], length) == 0 && path[length] == '/';
}

/* Which names are the same in every run of such a policy. A run with a uid of its own can write to none of them;
 * what the caller brings in has mount points that another run must not see. */
static void share_skeleton(struct plan_builder *builder)
{
    struct plan *plan = builder->plan;

    for (uint32_t i = 0; i < plan->mount_count; i++) {
        struct plan_mount *row = &plan->mounts[i];
        bool has_name = row->op == MOUNT_DIR || row->op == MOUNT_FILE || row->op == MOUNT_SYMLINK ||
                        row->op == MOUNT_SYSTEM || row->op == MOUNT_TMPFS ||
                        row->op == MOUNT_PROC || row->op == MOUNT_GROUP;

        if (has_name && !is_below_work(plan_text_of(plan, row->target)))
            row->flags |= MOUNT_FLAG_SKELETON;
    }
    plan->features |= PLAN_SHARED_SKELETON;
}

int plan_small_root(const struct policy *policy, const struct request *request,
                    const struct host *host, struct plan_builder *builder, struct berm_error *err)
{
    plan_add_mount(builder, &(struct mount_row){.layer = LAYER, .op = MOUNT_PRIVATE});
    plan_add_mount(builder,
                   &(struct mount_row){.layer = LAYER, .op = MOUNT_ROOT, .data = ROOT_OPTIONS});
    system_directories(host, builder);
    configuration(host, builder);
    process_view(policy, builder);
    cpu_files(builder->plan, builder);
    group_view(policy, host, builder);
    plan_add_mount(builder, &(struct mount_row){.layer = LAYER, .op = MOUNT_SEAL});
    device_nodes(policy, request, builder);
    writable_places(policy, request, builder);
    for (size_t i = 0; i < sizeof(links) / sizeof(links[0]); i++)
        plan_add_mount(builder, &(struct mount_row){.layer = LAYER,
                                                    .op = MOUNT_SYMLINK,
                                                    .source = links[i].target,
                                                    .target = links[i].path});
    const struct callers_list read_only = {"--ro", &policy->ro, request->ro_resolved,
                                           MOUNT_FLAG_RECURSIVE | MOUNT_FLAG_RO};
    /* A host uid of the run's own may write nothing of the caller's, unless the owner's ids are mapped to it. That
     * only under the filter, which lets no set-user-id file be made: it would be the owner's, root's for one. */
    bool is_mapped = has_host_uid(policy, host) && layer_is_on(policy, BERM_LAYER_SYSCALLS) &&
                     host->has_seccomp_filter;
    const struct callers_list writable = {"--rw", &policy->rw, request->rw_resolved,
                                          is_mapped ? (uint32_t)MOUNT_FLAG_IDMAP
                                                    : (uint32_t)MOUNT_FLAG_RECURSIVE};
    int r = callers_paths(policy, host, &read_only, builder, err);
    if (r == 0)
        r = callers_paths(policy, host, &writable, builder, err);
    if (r < 0)
        return r;
    if (has_host_uid(policy, host) && !is_mapped && policy->rw.count > 0)
        plan_add_note(
            builder, LAYER,
            "without the layer syscalls a run of root's writes in --rw only where anybody may");
    for (size_t i = 0; i < policy->hide.count; i++)
        plan_add_mount(builder, &(struct mount_row){.layer = LAYER,
                                                    .op = MOUNT_HIDE,
                                                    .target = policy->hide.items[i] + 1});
    plan_add_mount(builder, &(struct mount_row){.layer = LAYER, .op = MOUNT_PIVOT});
    plan_add_mount(builder,
                   &(struct mount_row){.layer = LAYER, .op = MOUNT_READ_ONLY, .target = "/"});
    builder->plan->features |= PLAN_READ_ONLY_ROOT;
    if (has_host_uid(policy, host) && policy->ro.count == 0 && policy->rw.count == 0)
        share_skeleton(builder);
    plan_add_claim(builder, LAYER, CLAIM_EXACT, "only listed paths exist",
                   "pivoted root: read-only system, tmpfs /tmp, /dev/shm and work directory with "
                   "size and inode caps");
    if (host->landlock_abi > 0)
        landlock(policy, host, builder);
    else
        plan_add_claim(builder, LAYER, CLAIM_WEAKER, "a second wall around the listed paths",
                       host_block_cause(host->landlock));
    return 0;
}

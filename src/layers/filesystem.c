/*
 * Filesystem: at L5 chosen paths are hidden; at L6 only chosen paths exist.
 */
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "base/error.h"
#include "layers/choices.h"
#include "layers/plans.h"
#include "layers/small_root.h"

/* Hidden at L5 (settled.md, "Levels"): homes, and the places of control sockets. */
static const char *const default_hidden[] = {
    "/root", "/home", "/run", "/var/run", "/var/lib/docker", "/var/snap/docker", "/var/lib/lxd",
};

static void hide(struct plan_builder *builder, const char *path)
{
    plan_add_mount(builder, &(struct mount_row){
                                .layer = BERM_LAYER_FILESYSTEM, .op = MOUNT_HIDE, .target = path});
}

static void plan_hidden(const struct policy *policy, const struct host *host,
                        struct plan_builder *builder)
{
    static const char mark[] = {PLAN_WORK_MARK, '\0'};
    bool has_work_dir = layer_is_on(policy, BERM_LAYER_ENV);

    if (!layer_is_on(policy, BERM_LAYER_PROCESS))
        plan_add_mount(builder,
                       &(struct mount_row){.layer = BERM_LAYER_FILESYSTEM, .op = MOUNT_PRIVATE});
    /* The work directory lies below /run, which is hidden: it is put back at its place. */
    if (has_work_dir)
        plan_add_mount(
            builder,
            &(struct mount_row){.layer = BERM_LAYER_FILESYSTEM, .op = MOUNT_STASH, .source = mark});
    for (size_t i = 0; i < sizeof(default_hidden) / sizeof(default_hidden[0]); i++)
        hide(builder, default_hidden[i]);
    if (strcmp(host->home, "/") != 0 && host->home[0] == '/')
        hide(builder, host->home);
    hide(builder, host->state_dir); /* other runs' work directories */
    for (size_t i = 0; i < policy->hide.count; i++)
        hide(builder, policy->hide.items[i]);
    if (has_work_dir)
        plan_add_mount(builder, &(struct mount_row){.layer = BERM_LAYER_FILESYSTEM,
                                                    .op = MOUNT_UNSTASH,
                                                    .target = mark});
    plan_add_claim(builder, BERM_LAYER_FILESYSTEM, CLAIM_EXACT, "chosen paths are hidden",
                   "mount namespace: an empty tmpfs over each directory, /dev/null over each file");
}

int plan_filesystem(const struct policy *policy, const struct request *request,
                    const struct host *host, struct plan_builder *builder, struct berm_error *err)
{
    use_namespace(builder, CLONE_ROW_MOUNT, BERM_LAYER_FILESYSTEM);
    if (has_small_root(policy))
        return plan_small_root(policy, request, host, builder, err);
    plan_hidden(policy, host, builder);
    return 0;
}

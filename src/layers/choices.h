/*
 * What several layers must agree on, asked in one place so that two layers never disagree.
 */
#ifndef BERM_LAYERS_CHOICES_H
#define BERM_LAYERS_CHOICES_H

#include "layers/layer.h"

/* Paths inside at L6. */
#define INSIDE_WORK "/work"
#define INSIDE_UID  1000u
#define INSIDE_USER "user"

/* The small root of L6, in place of hidden paths. */
bool has_small_root(const struct policy *policy);

/* A mount namespace of the run's own: from L3, for its /proc. */
bool has_mount_namespace(const struct policy *policy);

/* Any layer that needs a user namespace is on (settled.md: "from L3 on, whoever starts berm"). */
bool has_user_namespace(const struct policy *policy);
/* CLONE_NEW*: what the plan for such a policy will ask for. */
uint64_t namespaces_of(const struct policy *policy);

/* A host uid of the run's own: L6, started by root. */
bool has_host_uid(const struct policy *policy, const struct host *host);

/* Control groups are used from L3, and only where the controller can be had. */
bool has_group(const struct policy *policy, const struct host *host,
               enum cgroup_controller controller);

/* Ask for a leaf group of this controller. */
void use_group(struct plan_builder *builder, const struct host *host,
               enum cgroup_controller controller);

/* Ask for a namespace of the first clone; @row of enter_namespaces names its owner. */
enum clone_row {
    CLONE_ROW_USER,
    CLONE_ROW_PID,
    CLONE_ROW_MOUNT,
    CLONE_ROW_NETWORK,
    CLONE_ROW_IPC,
    CLONE_ROW_UTS
};

void use_namespace(struct plan_builder *builder, enum clone_row row, enum berm_layer owner);

/* A resource limit, never above what berm itself inherited. */
void limit_resource(struct plan_builder *builder, const struct host *host, enum berm_layer layer,
                    int resource, uint64_t soft, uint64_t hard);

/* The caller's home is hidden at L5, and judges what --ro and --rw bring in. */
bool needs_home(const struct policy *policy);

/* No group counts the CPU time of the tree: a task clock may. */
bool needs_clock(const struct policy *policy, const struct host *host);

#endif

/*
 * The parts of the probe, one file each. Used by linux/probe.c alone.
 */
#ifndef BERM_LINUX_PROBE_PARTS_H
#define BERM_LINUX_PROBE_PARTS_H

#include "linux/host.h"

/* Which controllers a leaf could be made under, below the group in which berm was started. */
void probe_cgroup(struct host_cgroup *cgroup);

/* Where locks and work directories are kept. */
void probe_state_dir(struct host *host);

/* Make children that try a user namespace and a fresh /proc. */
void probe_by_trying(struct host *host);

#endif

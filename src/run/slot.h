/*
 * A slot: the number that makes one run's names unlike those of every other run alive on this machine.
 * The host uid, the control group and the private work directory are named after it.
 *
 * The lock file is held from before the run until everything is gone; the kernel frees it when berm dies,
 * and the next run that takes the number finds and removes what is left under its names.
 */
#ifndef BERM_RUN_SLOT_H
#define BERM_RUN_SLOT_H

#include <stdbool.h>
#include <stdint.h>

#include <berm/berm.h>

/* Host uids of runs started by root: above the ranges that systemd gives to containers (UIDS-GIDS.md:
 * 524288..1879048191), below 2^31. A number inside a range of /etc/subuid or /etc/subgid is passed over. */
#define SLOT_UID_FIRST 1879048192u
#define SLOT_COUNT_MAX 65536u

/* What a run makes in the state directory under a name of its own, before it gets its lasting name. */
#define SLOT_DRAFT "draft-%u"

struct slot {
    int lock_fd;  /* owned */
    int state_fd; /* owned: the state directory */
    uint32_t number;
    bool has_work_dir;   /* made, or half made */
    bool was_dirty;      /* its last holder died without releasing it */
    char group_name[96]; /* "berm-19-4d2-12": identity of the state directory, number */
    char work_name[64];  /* "work-12", below the state directory */
    char work_path[576];
};

void slot_init(struct slot *slot);

/* The name of the control group of any number of this state directory. */
void slot_group_name(const struct slot *slot, uint32_t number, char *ret_name, size_t size);

/* Called with each number that a dead run held: its group is the caller's to remove. */
typedef void (*slot_dead_fn)(const struct slot *slot, uint32_t number, void *context);

/**
 * Sweep what dead runs left, when this slot's last holder died (kill -9 of several runs leaves several): the
 * work directory of each number that nobody holds and that was never released.
 */
void slot_sweep(struct slot *slot, slot_dead_fn dead, void *context);

/**
 * Take the lowest free number.
 *
 * @state_dir      made when missing; must belong to the caller and to nobody else.
 * @needs_host_uid pass over numbers whose uid may belong to a container.
 * Returns 0 or -errno with @err filled.  Since: 0.1.  Source: flock(2).  Test: truth/test_sweep.
 */
int slot_take(struct slot *slot, const char *state_dir, bool needs_host_uid,
              struct berm_error *err);

/* Make the private work directory, removing what a dead run left there; it belongs to @uid, @gid.
 * Returns 0 or -errno. */
int slot_make_work_dir(struct slot *slot, uint32_t uid, uint32_t gid, struct berm_error *err);

/* Remove the work directory and let the number go. Returns 0 or -errno of the removal. */
int slot_release(struct slot *slot);

#endif

/*
 * One run of one attack in one column: what was started, what the host saw while it went on and after it.
 */
#ifndef BERM_PROVE_SCENE_H
#define BERM_PROVE_SCENE_H

#include "prove/host.h"
#include "prove/matrix.h"
#include "prove/world.h"
#include "prove/wrapper.h"

/* Of what a run prints, this much is looked through for canaries; all of it is counted. */
#define SCENE_OUTPUT_MAX (4u << 20)

/* The exit status of a wrapper whose before_exec() failed. */
#define SCENE_NOT_SET_UP 123

struct scene {
    struct world *world;
    const struct attack *attack;
    const struct column *column;
    /* The wrapper's last act before it executes; NULL: none. 0 or -errno. */
    int (*before_exec)(void);
    unsigned cpu_ms;      /* see wall_ms */
    unsigned wall_ms;     /* the limits that the wrapper was told */
    unsigned storage_mib; /* of all files of the work directory together */
    char tag[24];         /* of this run: among the arguments of every process of the attack */
    char *output;         /* owned: stdout, NUL-terminated */
    size_t output_used;   /* of it, kept */
    uint64_t output_all;  /* bytes that the caller got, both streams */
    char complaint[1024]; /* the end of stderr */
    size_t complaint_used;
    char *result; /* owned: berm's JSON; NULL elsewhere */
    size_t result_used;
    struct sight sight;       /* at the hold, and after the end: the survivors */
    struct sight_peaks peaks; /* of attacks on CPU time, memory and processes */
    uint64_t rusage_rss_kib;  /* of the largest process that the wrapper was or waited for */
    uint64_t rusage_cpu_ms;   /* of the wrapper and all that it waited for */
    uint32_t ran_ms;          /* from the attack's first word to the end of the wrapper */
    uint32_t took_ms;         /* of the whole */
    bool is_blind;            /* a look could not read what it judges by */
    bool has_begun, has_held; /* the host saw the tag; the host had a look */
    bool is_harmed;
    bool has_hung;   /* the wrapper was ended by the patience of the host */
    int wait_status; /* of the wrapper */
    char seen[256];
};

/* The whole run: started, looked at, ended, survivors ended. 0 or -errno: it could not be started. */
int scene_play(struct scene *scene, char *const *words, int result_read_fd, int result_write_fd);

void scene_done(struct scene *scene);

#endif

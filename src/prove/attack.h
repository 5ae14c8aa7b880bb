/*
 * Attacks as data: what a program without scruples tries, which layer is to stop it, and what the host must see
 * before it counts as harm.
 *
 * The program's own word decides nothing. It names a random canary that it cannot know otherwise, touches a
 * honeypot, or leaves something that the host counts itself.
 */
#ifndef BERM_PROVE_ATTACK_H
#define BERM_PROVE_ATTACK_H

#include <stdbool.h>
#include <stddef.h>

#include "base/error.h"

#define ATTACK_WORDS_MAX 8

/* Nothing that is not about time takes so long; with it a sandbox that hangs is ended. */
#define PROVE_WALL_MS 8000

/* The work directory of an attack on storage: berm is told to make a small one, others have what the profile
 * `standard` says (mission). */
#define PROVE_STORAGE_MIB 32
#define PEER_STORAGE_MIB  256
/* Some tools know whole seconds alone. */
#define PEER_WALL_MIN_MS 1000

/* What a sandbox may claim to bound: a peer is judged by what it claims. */
enum topic {
    TOPIC_TIME,        /* wall clock */
    TOPIC_CPU_TIME,    /* CPU time of all processes together */
    TOPIC_CPUS,        /* how many CPUs at once, and before whom */
    TOPIC_MEMORY,      /* of all processes together */
    TOPIC_FILE_SIZE,   /* one file */
    TOPIC_STORAGE,     /* all files together, and their number */
    TOPIC_OPEN_FILES,  /* of one process */
    TOPIC_PROCESSES,   /* how many */
    TOPIC_OUTPUT,      /* what the caller gets to hold */
    TOPIC_LEFTOVERS,   /* nothing goes on after the run */
    TOPIC_ENVIRONMENT, /* variables, descriptors, working directory, terminal */
    TOPIC_OTHERS,      /* other processes: seen, signalled, read, changed */
    TOPIC_NETWORK,     /* ways out and in */
    TOPIC_SECRETS,     /* chosen paths of the host */
    TOPIC_FILES,       /* every path that was not given */
    TOPIC_SHARED,      /* IPC, host name, keys */
    TOPIC_PRIVILEGES,  /* capabilities, users, mounts */
    TOPIC_KERNEL,      /* the kernel's system calls and knobs */
    TOPIC_COUNT
};

/* Without these an attack says nothing, even where nothing holds it. */
enum attack_need {
    NEEDS_ROOT = 1u << 0,       /* the caller is root */
    NEEDS_USER = 1u << 1,       /* the caller is not root */
    NEEDS_ROUTE = 1u << 2,      /* a route out of this machine */
    NEEDS_GROUP = 1u << 3,      /* promised only where a control group counts the tree */
    NEEDS_TWO_CPUS = 1u << 4,   /* more than one CPU is there to take */
    NEEDS_CORE_FILES = 1u << 5, /* the kernel writes core dumps to files and not to a helper */
    NEEDS_I386 = 1u << 6,       /* the kernel has the i386 system-call table */
    NEEDS_X32 = 1u << 7,        /* and the x32 one */
    NEEDS_DISK = 1u << 8,       /* a block device that the caller can open */
    NEEDS_KVM = 1u << 9,        /* /dev/kvm, which the caller can open */
    NEEDS_IPV6 = 1u << 10,      /* the IPv6 loopback address */
    NEEDS_PUSH =
        1u << 11, /* the kernel lets this caller push characters into its terminal (TIOCSTI) */
    NEEDS_UNPRIVILEGED_USERNS = 1u << 12, /* user namespaces for the caller */
    NEEDS_PERF = 1u << 13,                /* perf_event_open for the caller */
    NEEDS_IO_URING = 1u << 14,            /* io_uring is not switched off */
    NEEDS_SETUID = 1u << 15,              /* /bin/su, with its set-user-id bit */
    NEEDS_OOM_SCORE = 1u << 16,           /* the caller may lower its own OOM score */
    GIVES_TERMINAL =
        1u << 17 /* no need: the wrapper gets a controlling terminal, as in a caller's shell */
};

struct scene;

/* Looks for the harm, in words for a person (@seen). While the program holds still, or after it has ended. */
typedef bool (*attack_look)(struct scene *scene, char *seen, size_t size);

struct attack {
    const char *id;
    const char *tries; /* one sentence that a stranger can judge */
    const char *harm;  /* what the host must observe */
    enum berm_layer layer;
    int from; /* the first level that promises to stop it, 1 to 6 */
    enum topic topic;
    const char
        *words[ATTACK_WORDS_MAX]; /* of the guest; {name} stands for something of the world */
    /* Of berm, from level @from on, for a limit that is quicker to reach than the default; by blanks. */
    const char *options;
    unsigned needs;
    unsigned wall_ms; /* the wall-clock limit that the wrapper is told; 0: PROVE_WALL_MS */
    unsigned cpu_ms;  /* the CPU-time limit; 0: the default */
    /* Run first, under the same column, and not judged. */
    const char *before[ATTACK_WORDS_MAX];
    bool
        must_refuse; /* that berm refuses and begins nothing is what holds; the guest takes CLONE_NEWNET away */
    int detail;                         /* for the looks */
    attack_look while_held, afterwards; /* either may be NULL */
};

/* The tables, in the order in which they are shown. */
extern const struct attack_table {
    const struct attack *attacks;
    const size_t *count;
} prove_tables[];

extern const size_t prove_table_count;

/* Attack number @index of all tables together; NULL behind the last one. */
const struct attack *attack_at(size_t index);

/* A block device of this machine that the caller can open; NULL: none. */
const char *attack_disk(void);

/* Checks of what berm says and holds itself: they are no attacks, and stand in no matrix. */
extern const struct attack prove_checks[];
extern const size_t prove_check_count;

/* An attack, or a check. NULL: there is none of that name. */
const struct attack *attack_find(const char *id);

const char *topic_name(enum topic topic);

/* Why the attack says nothing for this caller on this machine; NULL: it can be tried. */
const char *attack_lacks(const struct attack *attack);

#endif

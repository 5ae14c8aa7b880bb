/*
 * What an attack is to find and to harm: canaries, honeypots, a victim. Planted by berm itself, harmless to lose.
 */
#ifndef BERM_PROVE_WORLD_H
#define BERM_PROVE_WORLD_H

#include <limits.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#define WORLD_PATH_MAX 512

enum honeypot {
    HONEYPOT_TCP,
    HONEYPOT_UDP,
    HONEYPOT_TCP6,
    HONEYPOT_ABSTRACT,    /* a Unix socket without a path */
    HONEYPOT_HOME_SOCKET, /* a Unix socket below the caller's home directory */
    HONEYPOT_TMP_SOCKET,  /* and one in /tmp */
    HONEYPOT_COUNT
};

/* Files and directories that an attack would make; looked for and removed after each run. */
enum drop {
    DROP_HOME,   /* below the caller's home directory */
    DROP_TMP,    /* in /tmp */
    DROP_USR,    /* in /usr/local */
    DROP_ETC,    /* in /etc */
    DROP_CGROUP, /* a control group of the host's */
    DROP_COUNT
};

struct victim {
    pid_t pid;
    uint64_t address; /* of the secret, in its memory */
    int fd;           /* of a file with the secret, open there */
};

struct world {
    char secret[48];                /* random; in no command line of an attack */
    char name[24];                  /* of this world: part of every path */
    char directory[WORLD_PATH_MAX]; /* 0755, in /tmp */
    char work[WORLD_PATH_MAX];      /* the caller's project: where every wrapper is started */
    char app[WORLD_PATH_MAX];       /* the caller's program in it */
    char guest[WORLD_PATH_MAX];     /* a copy of the attacker that every identity can reach */
    char
        home[WORLD_PATH_MAX]; /* a directory of the caller's home, or of /tmp where that has none */
    bool is_home_elsewhere;   /* the latter: it is hidden by its name */
    char key_file[WORLD_PATH_MAX]; /* the planted SSH key */
    char tmp_file[WORLD_PATH_MAX]; /* a secret in /tmp */
    char shm_file[WORLD_PATH_MAX]; /* a secret in /dev/shm */
    char drops[DROP_COUNT][WORLD_PATH_MAX];
    char handle[300]; /* of tmp_file, in hexadecimal: where it lies on its file system */
    int handle_type;
    int sockets[HONEYPOT_COUNT];
    uint16_t ports[HONEYPOT_COUNT]; /* 0 where there is none */
    uint16_t listen_port;           /* free, for an attack to listen on */
    char abstract_name[WORLD_PATH_MAX], home_socket[WORLD_PATH_MAX], tmp_socket[WORLD_PATH_MAX];
    struct victim victim;
    int leaked_fd; /* on the key file, without close-on-exec */
    int shm_id, sem_id, msg_id;
    int shm_key, sem_key, msg_key;
    int terminal_fd;     /* the master side of a pseudo-terminal */
    char terminal[64];   /* its slave side */
    char host_name[128]; /* what the host is called while the attacks run */
};

/* This process becomes a stand-in for the host, where it may: mounts, host name and IPC of its own, so that what an
 * attack at a low level does to them reaches nobody. Root only; 0, or -errno and nothing is changed. */
int world_stand_in(void);

/* Whether world_stand_in() was done in this process or its parent. */
bool world_is_stand_in(void);

/* Plant everything. @guest is the attacker's executable. 0 or -errno, with @ret_what in words. */
int world_plant(struct world *world, const char *guest, const char **ret_what);

/* Before each run: what the last one broke is made anew. 0 or -errno. */
int world_mend(struct world *world);

/* How many came to the honeypot since the last question. */
unsigned world_touches(struct world *world, enum honeypot which);

/* Was it made? It is removed by the question. */
bool world_take_drop(struct world *world, enum drop which);

/* Was the caller's program changed? It is restored by the question. */
bool world_take_app_change(struct world *world);

/* Is its memory as it was? */
bool world_victim_has_secret(const struct world *world);

/* Remove everything. */
void world_clear(struct world *world);

/**
 * The words of an attack with what they stand for: {secret-file}, {tcp-port}, ... A name that is not known is an
 * error of the table.
 * Returns 0 or -EINVAL.  Test: prove.
 */
int world_expand(const struct world *world, const char *word, char *out, size_t size);

#endif

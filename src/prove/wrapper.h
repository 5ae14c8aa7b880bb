/*
 * How an attack is started: by berm at a level, or by another sandbox.
 */
#ifndef BERM_PROVE_WRAPPER_H
#define BERM_PROVE_WRAPPER_H

#include <stdbool.h>
#include <stddef.h>

#include "prove/matrix.h"

#define WRAPPER_WORDS_MAX 128

/* Where things are on the host, for the words of a wrapper. Borrowed, absolute. */
struct places {
    const char *berm;      /* the command */
    const char *guest;     /* the attacker, a static executable in @directory */
    const char *directory; /* of this world, 0755, removed afterwards: for bundles, roots, images */
    const char *work;      /* the caller's project, in which the wrapper is started */
    int result_fd;         /* berm's columns: where the JSON result goes; negative: none */
    unsigned wall_ms;      /* the wall-clock limit of this attack */
    unsigned cpu_ms;       /* the CPU-time limit; 0: the default */
};

/* A command line being made: an array of words that it owns. */
struct words {
    char *items[WRAPPER_WORDS_MAX]; /* NULL-terminated */
    size_t count;
};

void words_add(struct words *words, const char *format, ...) __attribute__((format(printf, 2, 3)));
void words_done(struct words *words);

/* The words of a command line that a person typed: split at blanks, quotes honoured. 0, or -EINVAL: a quote is open. */
int words_of_command(const char *command, struct words *words);

/* A sandbox that berm is compared with. Presets name the command and give the tool its best flags. */
struct peer {
    const char *name;    /* as on the command line: "bwrap" */
    const char *title;   /* "bubblewrap" */
    const char *program; /* looked for in PATH */
    uint32_t claims;     /* 1u << enum topic: what these flags claim to bound, and nothing more */
    const char *note;    /* one sentence: what the flags are, where they come from */
    /* Once, before the first attack: a root, a bundle, an image. NULL: nothing. 0, or -errno with @why. */
    int (*prepare)(const struct places *places, char *why, size_t why_size);
    /* The command line up to and with the guest's path as seen inside; the attack's words are appended. */
    void (*wrap)(const struct places *places, struct words *words);
    /* What prepare() left outside of @places->directory: images, containers. NULL: nothing. */
    void (*forget)(const struct places *places);
    /* Some tools take the words in a file: with this, wrap() does not end with the guest, and it is called with
     * the words of the attack before wrap(). NULL: words are appended. 0 or -errno. */
    int (*write_words)(const struct places *places, char *const *guest_words);
};

extern const struct peer prove_peers[];
extern const size_t prove_peer_count;

/* Does the column of a preset, as it is for this caller, claim to stop the attack? */
bool peer_claims(const struct column *column, const struct attack *attack);

/* NULL: there is no such preset. */
const struct peer *peer_find(const char *name);

/* The column of a preset, or, where there is none of that name, of a command of the user's: its words by blanks,
 * then the guest and the attack. Fills name, title, command, claims and missing. */
void column_of_peer(const char *name_or_command, const struct places *places,
                    struct column *ret_column);

#endif

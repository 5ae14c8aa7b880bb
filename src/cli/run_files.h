/*
 * --put, --get and the list of files in a result: what the command line does with a run's work directory.
 *
 * In: the words of the flags. Out: files inside before the program begins, files of the caller's afterwards, a
 * list. Must never: open a name inside by itself (session/transfer.h does).
 */
#ifndef BERM_CLI_RUN_FILES_H
#define BERM_CLI_RUN_FILES_H

#include "cli/options.h"
#include "policy/policy.h"
#include "run/run.h"
#include "session/listing.h"

/* Files that a result lists; the others are counted. */
#define RUN_FILES_LISTED_MAX 1000
/* Names that are looked at for it: more than the default inode cap of the work directory. */
#define RUN_FILES_VISITS_MAX 200000

/* One word of --put: FILE[:NAME]. */
struct put_word {
    char *name; /* owned: inside */
    int fd;     /* owned: the caller's file, open before anything runs */
    unsigned mode;
};

/* One word of --get: NAME[:FILE]. */
struct get_word {
    char *name; /* owned: inside, as shown; or a pattern */
    char *file; /* owned: the caller's; "" = the name's last part, "-" = stdout */
};

struct run_file_words {
    struct put_word puts[OPTION_ITEMS_MAX];
    struct get_word gets[OPTION_ITEMS_MAX];
    size_t put_count, get_count;
    bool wants_list;
    const char *left_out; /* borrowed: a name that is not listed, the program text's; NULL = none */
    const struct policy *policy;
    uint64_t since_ns;
    struct listing listing; /* owned: what the run created or changed */
    bool has_listing;
    struct berm_error err; /* the first --get that failed */
};

/**
 * Read the words, open what is put.
 *
 * @words  written completely; run_file_words_done() on success and on failure.
 * Returns 0 or -errno with @err filled: no such file, no good name, a level without a work directory.
 */
int run_file_words_read(const struct run_options *options, const struct policy *policy,
                        struct run_file_words *words, struct berm_error *err);
void run_file_words_done(struct run_file_words *words);

/* The two moments, for run_parts(); borrows @words. */
struct run_files run_file_words_files(struct run_file_words *words);

#endif

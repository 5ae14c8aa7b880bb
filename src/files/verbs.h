/*
 * The verbs of berm-files. Each reads stdin, writes stdout, works in the current directory, and returns the exit
 * status: 0, or 1 after it has said why.
 */
#ifndef BERM_FILES_VERBS_H
#define BERM_FILES_VERBS_H

#include <stdint.h>

/* What one archive may bring. */
struct unpack_caps {
    uint64_t files;      /* names that are made: files and directories */
    uint64_t bytes;      /* of all files */
    uint64_t file_bytes; /* of each file */
};

/* Paths in; hashes and then types out. Test: files/test_files. */
int verb_inspect(void);

/* An archive in; files into the current directory, one line each out. Test: files/test_files. */
int verb_unpack(const struct unpack_caps *caps);

/* Paths in, none for all; an archive out. Test: files/test_files. */
int verb_pack(void);

/* Says `failed WHAT` on stderr, with the text of -@ret when it is below 0. Returns 1. */
int verb_failed(const char *what, int ret);

#endif

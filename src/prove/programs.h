/*
 * Where berm and the guest are.
 */
#ifndef BERM_PROVE_PROGRAMS_H
#define BERM_PROVE_PROGRAMS_H

struct programs {
    char berm[4096];
    char guest[4096];
    char defective[4096]; /* "" where it was not built */
};

/* Absolute paths, set once by programs_find(). */
extern struct programs prove_programs;

/* Beside this executable: as installed, or as in the build folder. 0, or -ENOENT with @ret_what not found. */
int programs_find(const char **ret_what);

#endif

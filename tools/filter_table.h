/*
 * layers/syscall_sets.def as data, and the names of system calls as numbers.
 *
 * In: the rows, libseccomp's tables. Out: arrays, an answer per number. Must never: decide anything
 * that the rows do not say. Used at build time and by the filter's tests; no part of berm.
 */
#ifndef BERM_TOOLS_FILTER_TABLE_H
#define BERM_TOOLS_FILTER_TABLE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define TABLE_CONDITIONS_MAX 3
#define TABLE_NUMBERS        1024 /* numbers above are answered with ENOSYS without a row */

/* What to answer: SECCOMP_RET_*, errno included. */
typedef uint32_t table_answer;

/* One half of an argument, masked, lies between two numbers. A mask of 0 marks an unused slot. */
struct table_condition {
    uint8_t argument;
    bool is_high;
    uint32_t mask, first, last;
};

struct table_clause {
    const char *call;
    table_answer answer;
    struct table_condition conditions[TABLE_CONDITIONS_MAX];
};

struct table_call {
    const char *name;
    table_answer answer;
    bool is_x86_only;
    const char *why;
};

struct table_profile {
    const char *id;   /* "STANDARD": FILTER_STANDARD */
    const char *text; /* "standard" */
};

extern const struct table_call table_calls[];
extern const size_t table_call_count;
extern const struct table_clause table_clauses[];
extern const size_t table_clause_count;
extern const struct table_profile table_profiles[];
extern const size_t table_profile_count;

/* The answer to anything that no row names, and to a call by a foreign table. */
extern const table_answer table_unknown;
extern const table_answer table_foreign;

/* One architecture that berm is built for. */
struct table_arch {
    const char *name;  /* "x86_64": as meson and uname(2) say it */
    const char *macro; /* "__x86_64__": as the compiler says it */
    uint32_t audit;    /* AUDIT_ARCH_* */
    uint32_t scmp;     /* SCMP_ARCH_* */
    /* Numbers of a foreign table under the same audit value; none where first > last. */
    uint32_t foreign_first, foreign_last;
};

extern const struct table_arch table_archs[];
extern const size_t table_arch_count;

/* The architecture of that name, or NULL. */
const struct table_arch *table_arch_by_name(const char *name);

/* The number of a call, or -1 when the architecture has none. */
int table_number(const struct table_arch *arch, const char *name);

/* The row that decides a number, or NULL: no row names it. */
const struct table_call *table_call_by_number(const struct table_arch *arch, unsigned number);

/* Has the call clauses of its own? */
bool table_is_checked(const char *name);

/**
 * Is the table well formed: every name has a number where its row says so and none where it says
 * not, no name stands twice, every clause belongs to a call, every mask is set?
 *
 * Complaints go to stderr. Returns 0, or the number of complaints.
 * Threads: one.  Async-signal-safe: no.  Since: 0.1.  Test: the build itself; filter/table.
 */
int table_check(const struct table_arch *arch);

#endif

/*
 * Reads layers/syscall_sets.def into arrays; numbers come from libseccomp and the rows NUMBER.
 */
#include "filter_table.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/audit.h>
#include <linux/sched.h>
#include <linux/seccomp.h>
#include <netinet/in.h>
#include <seccomp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <sys/stat.h>

#include "linux/filter.h"

/* The words of the rows. */
#define ALLOW         SECCOMP_RET_ALLOW
#define ERRNO(number) (SECCOMP_RET_ERRNO | (uint32_t)(number))
#define REFUSED       ERRNO(EPERM)
#define ABSENT        ERRNO(ENOSYS)

/* clang-format off */
#define LOW(argument, mask, value)    {argument, false, mask, value, value}
#define HIGH(argument, mask, value)   {argument, true, mask, value, value}
#define RANGE(argument, first, last)  {argument, false, ~0u, first, last}
#define ANY(argument, mask)           {argument, false, mask, 1, ~0u}
/* clang-format on */
#define FAMILY(family)     LOW(0, ~0u, family)
#define INTERNET           LOW(0, ~(uint32_t)(AF_INET ^ AF_INET6), AF_INET)
#define KIND(kind)         LOW(1, 0xfu, kind)
#define PROTOCOL(protocol) LOW(2, ~0u, protocol)

/* Every namespace that clone(2) can ask for, and what unshare(2) may split without one. */
#define NAMESPACE_FLAGS                                                                            \
    (CLONE_NEWNS | CLONE_NEWCGROUP | CLONE_NEWUTS | CLONE_NEWIPC | CLONE_NEWUSER | CLONE_NEWPID |  \
     CLONE_NEWNET)
#define UNSHARE_HARMLESS                                                                           \
    ((uint32_t)(CLONE_FS | CLONE_FILES | CLONE_SYSVSEM | CLONE_THREAD | CLONE_SIGHAND | CLONE_VM))

#define UNPACK(...) __VA_ARGS__

const struct table_call table_calls[] = {
#define CALL(name, answer, why) {#name, answer, false, why},
#define X86(name, answer, why)  {#name, answer, true, why},
#define CLAUSE(name, answer, conditions, why)
#include "layers/syscall_sets.def"
#undef CALL
#undef X86
#undef CLAUSE
};
const size_t table_call_count = sizeof(table_calls) / sizeof(table_calls[0]);

const struct table_clause table_clauses[] = {
#define CALL(name, answer, why)
#define X86(name, answer, why)
#define CLAUSE(name, answer, conditions, why) {#name, answer, {UNPACK conditions}},
#include "layers/syscall_sets.def"
#undef CALL
#undef X86
#undef CLAUSE
};
const size_t table_clause_count = sizeof(table_clauses) / sizeof(table_clauses[0]);

const struct table_profile table_profiles[] = {
#define PROFILE(id, text) {#id, text},
#include "layers/syscall_sets.def"
#undef PROFILE
};
const size_t table_profile_count = sizeof(table_profiles) / sizeof(table_profiles[0]);

static const struct {
    const char *name;
    int number;
} newer_numbers[] = {

#define NUMBER(name, number) {#name, number},
#include "layers/syscall_sets.def"
#undef NUMBER
};

const table_answer table_unknown = ABSENT;
const table_answer table_foreign = SECCOMP_RET_KILL_PROCESS;

/* x32 has numbers from bit 30 on. All ones is no call: it is what a tracer writes to have one
 * skipped, and the kernel answers ENOSYS (arch/x86/entry/common.c). */
const struct table_arch table_archs[] = {
    {"x86_64",  "__x86_64__",  AUDIT_ARCH_X86_64,  SCMP_ARCH_X86_64,  0x40000000u, 0xfffffffeu},
    {"aarch64", "__aarch64__", AUDIT_ARCH_AARCH64, SCMP_ARCH_AARCH64, 1,           0          },
};
const size_t table_arch_count = sizeof(table_archs) / sizeof(table_archs[0]);

const struct table_arch *table_arch_by_name(const char *name)
{
    for (size_t i = 0; i < table_arch_count; i++) {
        if (strcmp(table_archs[i].name, name) == 0)
            return &table_archs[i];
    }
    return NULL;
}

int table_number(const struct table_arch *arch, const char *name)
{
    int number = seccomp_syscall_resolve_name_arch(arch->scmp, name);

    /* libseccomp gives calls of other architectures numbers below zero (__PNR_*). */
    if (number >= 0)
        return number;
    for (size_t i = 0; i < sizeof(newer_numbers) / sizeof(newer_numbers[0]); i++) {
        if (strcmp(newer_numbers[i].name, name) == 0)
            return newer_numbers[i].number;
    }
    return -1;
}

static const struct table_call *call_by_name(const char *name)
{
    for (size_t i = 0; i < table_call_count; i++) {
        if (strcmp(table_calls[i].name, name) == 0)
            return &table_calls[i];
    }
    return NULL;
}

const struct table_call *table_call_by_number(const struct table_arch *arch, unsigned number)
{
    char *name = seccomp_syscall_resolve_num_arch(arch->scmp, (int)number);
    const struct table_call *call = name ? call_by_name(name) : NULL;

    free(name);
    for (size_t i = 0; !call && i < sizeof(newer_numbers) / sizeof(newer_numbers[0]); i++) {
        if (newer_numbers[i].number == (int)number)
            call = call_by_name(newer_numbers[i].name);
    }
    return call;
}

bool table_is_checked(const char *name)
{
    for (size_t i = 0; i < table_clause_count; i++) {
        if (strcmp(table_clauses[i].call, name) == 0)
            return true;
    }
    return false;
}

static int complain(const struct table_arch *arch, const char *name, const char *what)
{
    (void)fprintf(stderr, "syscall_sets.def: %s: %s: %s\n", arch->name, name, what);
    return 1;
}

static int check_call(const struct table_arch *arch, const struct table_call *call)
{
    bool is_expected = !call->is_x86_only || arch->audit == AUDIT_ARCH_X86_64;
    int number = table_number(arch, call->name);

    if (call_by_name(call->name) != call)
        return complain(arch, call->name, "stands twice");
    if (is_expected && number < 0)
        return complain(arch, call->name, "unknown: a typing error, or add a NUMBER row");
    if (!is_expected && number >= 0)
        return complain(arch, call->name, "exists here: make it a CALL row");
    if (number >= TABLE_NUMBERS)
        return complain(arch, call->name, "its number is too large for the table");
    return 0;
}

int table_check(const struct table_arch *arch)
{
    int complaints = 0;

    for (size_t i = 0; i < table_call_count; i++)
        complaints += check_call(arch, &table_calls[i]);
    for (size_t i = 0; i < table_clause_count; i++) {
        const struct table_clause *clause = &table_clauses[i];

        if (!call_by_name(clause->call))
            complaints += complain(arch, clause->call, "a clause without its call");
        if (clause->conditions[0].mask == 0)
            complaints += complain(arch, clause->call, "a clause without a condition");
    }
    return complaints;
}

/*
 * Statements before the first of a filter, which let something pass that the rest would refuse. Jumps are relative:
 * what follows stays right.
 */
#include "run/planted_filter.h"

#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <stddef.h>
#include <string.h>
#include <sys/syscall.h>

#include "plan/defect.h"

#define STATEMENTS_MAX 4096

#if defined(__x86_64__)
#    define NATIVE_ARCH AUDIT_ARCH_X86_64
#else
#    define NATIVE_ARCH AUDIT_ARCH_AARCH64
#endif

/* Whatever comes by another table of system calls is not looked at. */
static const struct sock_filter native_abi_only[] = {
    BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, arch)),
    BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, NATIVE_ARCH, 1, 0),
    BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
};

/* A rule compares all 64 bits of an argument of which the kernel takes 32. */
static const struct sock_filter low_bits_only[] = {
    BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
    BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_personality, 0, 3),
    BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, args) + 4),
    BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, 0, 1, 0),
    BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
};

static size_t put(struct sock_filter *statements, const struct sock_filter *prefix, size_t size)
{
    memcpy(statements, prefix, size);
    return size / sizeof(*prefix);
}

struct filter_program planted_filter(const struct filter_program *program)
{
    static struct sock_filter statements[STATEMENTS_MAX];
    size_t count = 0;

    if (program->count == 0 || program->count + 16 > STATEMENTS_MAX)
        return *program;
    if (IS_PLANTED(filter_native_abi_only))
        count = put(statements, native_abi_only, sizeof(native_abi_only));
    if (IS_PLANTED(filter_low_bits_only))
        count = put(statements, low_bits_only, sizeof(low_bits_only));
    if (count == 0)
        return *program;
    memcpy(statements + count, program->statements, program->count * sizeof(*statements));
    return (struct filter_program){.statements = statements,
                                   .count = (unsigned short)(program->count + count)};
}

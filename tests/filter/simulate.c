/*
 * The BPF simulator: the few statements that berm's and libseccomp's programs consist of.
 */
#include "simulate.h"

#include <stdbool.h>
#include <string.h>

static bool is_jump(uint16_t code)
{
    return BPF_CLASS(code) == BPF_JMP && code != (BPF_JMP | BPF_JA);
}

static bool is_known(const struct sock_filter *s)
{
    switch (s->code) {
    case BPF_LD | BPF_W | BPF_ABS:
        return s->k % 4 == 0 && s->k < sizeof(struct seccomp_data);
    case BPF_ALU | BPF_AND | BPF_K:
    case BPF_JMP | BPF_JA:
    case BPF_JMP | BPF_JEQ | BPF_K:
    case BPF_JMP | BPF_JGE | BPF_K:
    case BPF_JMP | BPF_JGT | BPF_K:
    case BPF_JMP | BPF_JSET | BPF_K:
    case BPF_RET | BPF_K:
        return true;
    default:
        return false;
    }
}

size_t simulate_check(struct program program)
{
    if (program.count == 0 || program.count > BPF_MAXINSNS)
        return 1;
    for (size_t i = 0; i < program.count; i++) {
        const struct sock_filter *s = &program.statements[i];
        size_t left = program.count - i - 1;

        if (!is_known(s))
            return i + 1;
        if (is_jump(s->code) && (s->jt >= left || s->jf >= left))
            return i + 1;
        if (s->code == (BPF_JMP | BPF_JA) && s->k >= left)
            return i + 1;
    }
    return program.statements[program.count - 1].code == (BPF_RET | BPF_K) ? 0 : program.count;
}

size_t simulate_unreachable(struct program program)
{
    bool is_reached[BPF_MAXINSNS] = {true};
    size_t unreachable = 0;

    /* Jumps go forward only: one pass sees them all. */
    for (size_t i = 0; i < program.count; i++) {
        const struct sock_filter *s = &program.statements[i];

        if (!is_reached[i]) {
            unreachable++;
        } else if (is_jump(s->code)) {
            is_reached[i + 1 + s->jt] = true;
            is_reached[i + 1 + s->jf] = true;
        } else if (s->code == (BPF_JMP | BPF_JA)) {
            is_reached[i + 1 + s->k] = true;
        } else if (s->code != (BPF_RET | BPF_K)) {
            is_reached[i + 1] = true;
        }
    }
    return unreachable;
}

static uint32_t load(const struct seccomp_data *call, uint32_t offset)
{
    uint32_t word;

    memcpy(&word, (const char *)call + offset, sizeof(word));
    return word;
}

static bool holds(const struct sock_filter *s, uint32_t a)
{
    switch (BPF_OP(s->code)) {
    case BPF_JEQ:
        return a == s->k;
    case BPF_JGE:
        return a >= s->k;
    case BPF_JGT:
        return a > s->k;
    default: /* BPF_JSET: the check let no other pass */
        return (a & s->k) != 0;
    }
}

uint32_t simulate(struct program program, const struct seccomp_data *call)
{
    uint32_t a = 0;

    for (size_t i = 0; i < program.count; i++) {
        const struct sock_filter *s = &program.statements[i];

        if (s->code == (BPF_RET | BPF_K))
            return s->k;
        if (s->code == (BPF_LD | BPF_W | BPF_ABS))
            a = load(call, s->k);
        else if (s->code == (BPF_ALU | BPF_AND | BPF_K))
            a &= s->k;
        else if (s->code == (BPF_JMP | BPF_JA))
            i += s->k;
        else
            i += holds(s, a) ? s->jt : s->jf;
    }
    return SECCOMP_RET_KILL_PROCESS; /* fell off the end: the check refuses such programs */
}

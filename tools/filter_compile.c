/*
 * The filter compiler.
 *
 * Installing a program costs by its length, since the kernel translates it to machine code (about
 * 0.2 us a statement), and by its paths, since the kernel walks it once for every system-call number to
 * learn which are always allowed (kernel/seccomp.c seccomp_cache_prepare, Linux 5.11). So neighbouring
 * numbers with the same answer are one range, the ranges are a tree that is balanced by how many
 * numbers lie in them, and leaves are shared. Figures: docs/decisions/0003-filter.md.
 *
 * libseccomp's own compiler is not used: its program costs more to install, and it cannot say "this
 * call: allowed when..., else EPERM" while everything unknown gets ENOSYS. Where both can speak, the
 * tests compare them (tests/filter/equivalence.c).
 *
 * Jumps in BPF go forward only, so the program is written from its end: whatever is jumped to exists.
 */
#include <errno.h>
#include <linux/seccomp.h>
#include <stddef.h>
#include <string.h>

#include "filter_compile.h"

#define RANGES_MAX  512
#define ANSWERS_MAX 16
/* The kernel walks the numbers that exist (NR_syscalls): weights of the tree. */
#define WALKED_NUMBERS 470
/* A jump has 8 bits; two statements may come between before it is written. */
#define JUMP_MAX (UINT8_MAX - 2u)

/* A place in the program, counted from its end. */
typedef unsigned label;

struct writer {
    struct sock_filter *statements; /* BPF_MAXINSNS of them, used from the back */
    unsigned used;                  /* counted past the end: filter_compile() refuses then */
    struct {
        table_answer answer;
        label label;
    } answers[ANSWERS_MAX]; /* the nearest return of each answer */
    unsigned answer_count;
};

/* Numbers from @first up to the next range have one answer, or one call's clauses decide. */
struct range {
    uint32_t first;
    table_answer answer;
    const struct table_call *checked; /* NULL: the answer stands */
    uint32_t weight;                  /* how many numbers the kernel walks here */
};

struct ranges {
    struct range items[RANGES_MAX];
    size_t count;
};

/* What the accumulator holds when a clause begins, and the place behind that load. */
struct loaded {
    uint8_t argument;
    bool is_high;
    uint32_t mask; /* 0: nothing is known */
    label behind;
};

static label put(struct writer *w, unsigned op, uint32_t k, unsigned jt, unsigned jf)
{
    w->used++;
    if (w->used <= BPF_MAXINSNS)
        w->statements[BPF_MAXINSNS - w->used] =
            (struct sock_filter){(uint16_t)op, (uint8_t)jt, (uint8_t)jf, k};
    return w->used;
}

static label put_return(struct writer *w, table_answer answer)
{
    label here = put(w, BPF_RET | BPF_K, answer, 0, 0);
    unsigned i = 0;

    while (i < w->answer_count && w->answers[i].answer != answer)
        i++;
    if (i == ANSWERS_MAX)
        return here; /* not remembered, so not shared */
    if (i == w->answer_count)
        w->answer_count++;
    w->answers[i].answer = answer;
    w->answers[i].label = here;
    return here;
}

/* A return of that answer near enough for a jump from about here. */
static label answer_label(struct writer *w, table_answer answer)
{
    for (unsigned i = 0; i < w->answer_count; i++) {
        if (w->answers[i].answer == answer && w->used - w->answers[i].label < JUMP_MAX)
            return w->answers[i].label;
    }
    return put_return(w, answer);
}

/* The same place, by a stepping stone when it is too far for a conditional jump. */
static label near_label(struct writer *w, label target)
{
    if (w->used - target < JUMP_MAX)
        return target;
    return put(w, BPF_JMP | BPF_JA, w->used - target, 0, 0);
}

static label put_jump(struct writer *w, unsigned op, uint32_t k, label when_true, label when_false)
{
    when_true = near_label(w, when_true);
    when_false = near_label(w, when_false);
    return put(w, BPF_JMP | BPF_K | op, k, w->used - when_true, w->used - when_false);
}

static bool is_same_load(const struct loaded *loaded, const struct table_condition *condition)
{
    return condition->mask != 0 && loaded->mask == condition->mask &&
           loaded->argument == condition->argument && loaded->is_high == condition->is_high;
}

/* @ret_loaded tells what a clause that was written before this one may reuse. */
static label put_condition(struct writer *w, const struct table_condition *condition, label holds,
                           label fails, struct loaded *ret_loaded)
{
    uint32_t offset = (uint32_t)offsetof(struct seccomp_data, args) + 8u * condition->argument +
                      (condition->is_high ? 4u : 0u);

    if (condition->first == condition->last) {
        (void)put_jump(w, BPF_JEQ, condition->first, holds, fails);
    } else {
        label upper = put_jump(w, BPF_JGT, condition->last, fails, holds);
        (void)put_jump(w, BPF_JGE, condition->first, upper, fails);
    }
    ret_loaded->argument = condition->argument;
    ret_loaded->is_high = condition->is_high;
    ret_loaded->mask = condition->mask;
    ret_loaded->behind = w->used;
    if (condition->mask != ~0u)
        (void)put(w, BPF_ALU | BPF_AND | BPF_K, condition->mask, 0, 0);
    return put(w, BPF_LD | BPF_W | BPF_ABS, offset, 0, 0);
}

/* A clause of one condition fails with its own load in the accumulator: the next one need not load
 * again. With several, which of them failed is not known. */
static label put_clause(struct writer *w, const struct table_clause *clause, label next,
                        struct loaded *loaded)
{
    label holds = answer_label(w, clause->answer);
    size_t count = 0;

    while (count < TABLE_CONDITIONS_MAX && clause->conditions[count].mask != 0)
        count++;
    if (count == 1 && is_same_load(loaded, &clause->conditions[0]))
        next = loaded->behind;
    for (; count > 0; count--)
        holds = put_condition(w, &clause->conditions[count - 1], holds, next, loaded);
    return holds;
}

static label put_leaf(struct writer *w, const struct range *range)
{
    label next = answer_label(w, range->answer);
    struct loaded loaded = {0};

    for (size_t i = table_clause_count; range->checked && i > 0; i--) {
        if (strcmp(table_clauses[i - 1].call, range->checked->name) == 0)
            next = put_clause(w, &table_clauses[i - 1], next, &loaded);
    }
    return next;
}

/* Where to cut so that both sides hold about the same number of numbers. At least one range a side. */
static size_t middle(const struct range *items, size_t count)
{
    uint32_t total = 0;
    uint32_t left = items[0].weight;
    size_t cut = 1;

    for (size_t i = 0; i < count; i++)
        total += items[i].weight;
    while (cut + 1 < count && left + items[cut].weight / 2 < total / 2)
        left += items[cut++].weight;
    return cut;
}

/* One number between two ranges of the same answer: a single comparison finds it. */
static bool is_exception(const struct range *items, size_t count)
{
    return count == 3 && !items[0].checked && !items[2].checked &&
           items[0].answer == items[2].answer && items[2].first == items[1].first + 1;
}

/* The depth is that of the tree: some ten. */
static label put_tree(struct writer *w, const struct range *items, size_t count)
{
    if (count == 1)
        return put_leaf(w, &items[0]);
    if (is_exception(items, count)) {
        label inner = put_leaf(w, &items[1]);
        return put_jump(w, BPF_JEQ, items[1].first, inner, answer_label(w, items[0].answer));
    }
    size_t cut = middle(items, count);
    label right = put_tree(w, items + cut, count - cut);
    label left = put_tree(w, items, cut);

    return put_jump(w, BPF_JGE, items[cut].first, right, left);
}

static void add_range(struct ranges *ranges, struct range range)
{
    struct range *before = ranges->count > 0 ? &ranges->items[ranges->count - 1] : NULL;

    if (before && !before->checked && !range.checked && before->answer == range.answer)
        before->weight += range.weight;
    else if (ranges->count < RANGES_MAX)
        ranges->items[ranges->count++] = range;
}

static void add_number(struct ranges *ranges, const struct table_arch *arch, unsigned number)
{
    const struct table_call *call = table_call_by_number(arch, number);
    struct range range = {
        .first = number,
        .answer = call ? call->answer : table_unknown,
        .checked = call && table_is_checked(call->name) ? call : NULL,
        .weight = number < WALKED_NUMBERS ? 1 : 0,
    };
    add_range(ranges, range);
}

static void make_ranges(struct ranges *ranges, const struct table_arch *arch)
{
    struct range foreign = {.first = arch->foreign_first, .answer = table_foreign};
    struct range rest = {.first = arch->foreign_last + 1, .answer = table_unknown};

    ranges->count = 0;
    for (unsigned number = 0; number <= TABLE_NUMBERS; number++)
        add_number(ranges, arch, number);
    if (arch->foreign_first > arch->foreign_last)
        return;
    add_range(ranges, foreign);
    if (rest.first != 0)
        add_range(ranges, rest);
}

int filter_compile(const struct table_arch *arch, struct filter_code *ret_code)
{
    static struct ranges ranges; /* too large for a stack frame */
    static struct sock_filter statements[BPF_MAXINSNS];
    struct writer writer = {.statements = statements};
    label tree;
    label foreign;

    make_ranges(&ranges, arch);
    (void)put_tree(&writer, ranges.items, ranges.count); /* its root is what was written last */
    tree = put(&writer, BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr), 0, 0);
    foreign = answer_label(&writer, table_foreign);
    (void)put_jump(&writer, BPF_JEQ, arch->audit, tree, foreign);
    (void)put(&writer, BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, arch), 0, 0);
    if (writer.used > BPF_MAXINSNS || ranges.count == RANGES_MAX)
        return -E2BIG;
    ret_code->count = (unsigned short)writer.used;
    memcpy(ret_code->statements, statements + BPF_MAXINSNS - writer.used,
           writer.used * sizeof(statements[0]));
    return 0;
}

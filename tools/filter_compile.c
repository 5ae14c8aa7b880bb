/*
 * The filter compiler.
 *
 * Installing a program costs by its length, since the kernel translates it to machine code (about
 * 0.2 us a statement), and by its paths, since the kernel walks it once for every system-call
 * number to learn which are always allowed (kernel/seccomp.c seccomp_cache_prepare, Linux 5.11). So
 * neighbouring numbers with the same answer are one range, the cheapest tree over the ranges is
 * found by trying all (some hundred ranges, cubic), and returns are shared. Figures:
 * docs/decisions/0003-filter.md.
 *
 * libseccomp's own compiler is not used: its program costs more to install, and it cannot say "this
 * call: allowed when..., else EPERM" while everything unknown gets ENOSYS. Where both can speak,
 * the tests compare them (tests/filter/equivalence.c).
 *
 * Jumps in BPF go forward only, so the program is written from its end: whatever is jumped to
 * exists.
 */
#include "filter_compile.h"

#include <errno.h>
#include <linux/seccomp.h>
#include <stddef.h>
#include <string.h>

#define RANGES_MAX  512
#define ANSWERS_MAX 16
#define LEAVES_MAX  64
/* The kernel walks the numbers that exist (NR_syscalls): weights of the tree. */
#define WALKED_NUMBERS 470
/* One statement more costs as much time as one statement more on the paths of this many numbers. */
#define STATEMENT_COST 60
#define CHAIN_MAX      4
/* A jump has 8 bits; two statements may come between before it is written. */
#define JUMP_MAX (UINT8_MAX - 2u)

/* A place in the program, counted from its end. */
typedef unsigned label;

/* What decides a checked call, already in the program. */
struct leaf {
    const struct table_clause *clauses;
    size_t count;
    table_answer answer;
    label label;
};

struct writer {
    struct sock_filter *statements; /* BPF_MAXINSNS of them, used from the back */
    unsigned used;                  /* counted past the end: filter_compile() refuses then */

    struct {
        table_answer answer;
        label label;
    } answers[ANSWERS_MAX]; /* the nearest return of each answer */

    unsigned answer_count;
    struct leaf leaves[LEAVES_MAX];
    unsigned leaf_count;
};

/* Numbers first..last have one answer, or one call's clauses decide. */
struct range {
    uint32_t first, last;
    table_answer answer;
    const struct table_call *checked; /* NULL: the answer stands */
    uint32_t weight;                  /* how many numbers the kernel walks here */
};

struct ranges {
    struct range items[RANGES_MAX];
    size_t count;
};

/* How a stretch of ranges is told apart: cut in two behind @cut ranges, or, when that is 0, by one
 * comparison for each range that differs from range @rest. */
struct choice {
    uint32_t cost;
    uint16_t cut, rest;
};

/* By first range and count of ranges. A build-time program: memory is no concern. */
static struct choice choices[RANGES_MAX][RANGES_MAX + 1];

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

/* Any bit of a mask: one jump tests them (BPF_JSET), on the number as it was loaded. */
static bool is_any(const struct table_condition *condition)
{
    return condition->first == 1 && condition->last == ~0u;
}

static uint32_t load_mask(const struct table_condition *condition)
{
    return is_any(condition) ? ~0u : condition->mask;
}

static bool is_loaded(const struct loaded *loaded, const struct table_condition *condition)
{
    return condition->mask != 0 && loaded->mask == load_mask(condition) &&
           loaded->argument == condition->argument && loaded->is_high == condition->is_high;
}

static label put_load(struct writer *w, const struct table_condition *condition)
{
    uint32_t offset = (uint32_t)offsetof(struct seccomp_data, args) + 8u * condition->argument +
                      (condition->is_high ? 4u : 0u);

    if (load_mask(condition) != ~0u)
        (void)put(w, BPF_ALU | BPF_AND | BPF_K, condition->mask, 0, 0);
    return put(w, BPF_LD | BPF_W | BPF_ABS, offset, 0, 0);
}

/* The comparison alone. @ret_loaded tells what a condition that stands before this one may reuse.
 * */
static label put_comparison(struct writer *w, const struct table_condition *condition, label holds,
                            label fails, struct loaded *ret_loaded)
{
    if (is_any(condition)) {
        (void)put_jump(w, BPF_JSET, condition->mask, holds, fails);
    } else if (condition->first == condition->last) {
        (void)put_jump(w, BPF_JEQ, condition->first, holds, fails);
    } else {
        label upper = put_jump(w, BPF_JGT, condition->last, fails, holds);
        (void)put_jump(w, BPF_JGE, condition->first, upper, fails);
    }
    ret_loaded->argument = condition->argument;
    ret_loaded->is_high = condition->is_high;
    ret_loaded->mask = load_mask(condition);
    ret_loaded->behind = w->used;
    return w->used;
}

static bool is_same_condition(const struct table_condition *a, const struct table_condition *b)
{
    return a->argument == b->argument && a->is_high == b->is_high && a->mask == b->mask &&
           a->first == b->first && a->last == b->last;
}

/* Is the only way to this clause through the comparison before it, with the same load? Then that
 * clause asks nothing behind its comparison at @depth. */
static bool follows_same_load(const struct table_clause *clause, size_t depth)
{
    const struct table_condition *before = &clause[-1].conditions[depth];
    const struct table_condition *head = &clause->conditions[depth];
    bool is_last = depth + 1 == TABLE_CONDITIONS_MAX || before[1].mask == 0;

    return is_last && load_mask(before) == load_mask(head) && before->argument == head->argument &&
           before->is_high == head->is_high;
}

/* Clauses of one call, from @depth conditions on. Neighbours that begin alike share the comparison.
 * A condition that fails leaves its own load behind: what comes next need not load the same again.
 * */
static label put_clauses(struct writer *w, const struct table_clause *clauses, size_t count,
                         size_t depth, label next, struct loaded loaded)
{
    while (count > 0) {
        const struct table_condition *head = &clauses[count - 1].conditions[depth];
        size_t first = count - 1;

        if (depth == TABLE_CONDITIONS_MAX || head->mask == 0) { /* nothing left to ask */
            next = answer_label(w, clauses[first].answer);
            loaded.mask = 0;
            count = first;
            continue;
        }
        while (first > 0 && is_same_condition(&clauses[first - 1].conditions[depth], head))
            first--;
        label holds = put_clauses(w, clauses + first, count - first, depth + 1, next, loaded);
        label fails = is_loaded(&loaded, head) ? loaded.behind : next;

        next = put_comparison(w, head, holds, fails, &loaded);
        if (first == 0 || !follows_same_load(&clauses[first], depth))
            next = put_load(w, head);
        count = first;
    }
    return next;
}

static bool is_same_leaf(const struct leaf *leaf, const struct table_clause *clauses, size_t count,
                         table_answer answer)
{
    bool is_same = leaf->count == count && leaf->answer == answer;

    for (size_t i = 0; is_same && i < count; i++) {
        is_same = leaf->clauses[i].answer == clauses[i].answer;
        for (size_t k = 0; is_same && k < TABLE_CONDITIONS_MAX; k++)
            is_same = is_same_condition(&leaf->clauses[i].conditions[k], &clauses[i].conditions[k]);
    }
    return is_same;
}

/* Calls of one kind ask the same (fchmod, chmod, creat): once in the program, where it is near enough. */
static label put_shared_clauses(struct writer *w, const struct table_clause *clauses, size_t count,
                                table_answer answer)
{
    for (unsigned i = 0; i < w->leaf_count; i++) {
        if (w->used - w->leaves[i].label < JUMP_MAX &&
            is_same_leaf(&w->leaves[i], clauses, count, answer))
            return w->leaves[i].label;
    }
    label here = put_clauses(w, clauses, count, 0, answer_label(w, answer), (struct loaded){0});
    if (w->leaf_count < LEAVES_MAX)
        w->leaves[w->leaf_count++] = (struct leaf){clauses, count, answer, here};
    return here;
}

static label put_leaf(struct writer *w, const struct range *range)
{
    size_t first = 0;
    size_t count = 0;

    if (!range->checked)
        return answer_label(w, range->answer);
    while (strcmp(table_clauses[first].call, range->checked->name) != 0)
        first++;
    while (first + count < table_clause_count &&
           strcmp(table_clauses[first + count].call, range->checked->name) == 0)
        count++;
    return put_shared_clauses(w, &table_clauses[first], count, range->answer);
}

/* How many ranges differ from @rest, all of them one number wide: as many comparisons find them.
 * CHAIN_MAX + 1 when there are too many, or one is wider. */
static unsigned exceptions(const struct range *items, size_t count, const struct range *rest)
{
    unsigned found = 0;

    for (size_t i = 0; i < count && found <= CHAIN_MAX; i++) {
        if (!items[i].checked && items[i].answer == rest->answer)
            continue;
        found = items[i].first == items[i].last ? found + 1 : CHAIN_MAX + 1;
    }
    return rest->checked ? CHAIN_MAX + 1 : found;
}

/* The cheapest way to tell the ranges first..first+count-1 apart, the shorter stretches being
 * known. */
static struct choice choose(const struct range *items, size_t first, size_t count)
{
    struct choice best = {.cost = UINT32_MAX};
    uint32_t weight = 0;

    for (size_t i = first; i < first + count; i++)
        weight += items[i].weight;
    for (size_t i = 0; i < 2; i++) {
        unsigned steps = exceptions(items + first, count, &items[first + i]);
        uint32_t cost = steps * (STATEMENT_COST + weight);

        if (steps <= CHAIN_MAX && cost < best.cost)
            best = (struct choice){.cost = cost, .rest = (uint16_t)(first + i)};
    }
    for (size_t cut = 1; cut < count; cut++) {
        uint32_t cost = STATEMENT_COST + weight + choices[first][cut].cost +
                        choices[first + cut][count - cut].cost;

        if (cost < best.cost)
            best = (struct choice){.cost = cost, .cut = (uint16_t)cut};
    }
    return best;
}

static void choose_all(const struct ranges *ranges)
{
    for (size_t count = 2; count <= ranges->count; count++) {
        for (size_t first = 0; first + count <= ranges->count; first++)
            choices[first][count] = choose(ranges->items, first, count);
    }
}

static label put_chain(struct writer *w, const struct range *items, size_t count,
                       const struct range *rest)
{
    label next = answer_label(w, rest->answer);

    for (size_t i = count; i > 0; i--) {
        const struct range *item = &items[i - 1];

        if (item->checked || item->answer != rest->answer) {
            label leaf = put_leaf(w, item);
            next = put_jump(w, BPF_JEQ, item->first, leaf, next);
        }
    }
    return next;
}

/* The depth is that of the tree: some ten. */
static label put_tree(struct writer *w, const struct range *items, size_t first, size_t count)
{
    const struct choice *choice = &choices[first][count];

    if (count == 1)
        return put_leaf(w, &items[first]);
    if (choice->cut == 0)
        return put_chain(w, items + first, count, &items[choice->rest]);
    label right = put_tree(w, items, first + choice->cut, count - choice->cut);
    label left = put_tree(w, items, first, choice->cut);

    return put_jump(w, BPF_JGE, items[first + choice->cut].first, right, left);
}

static void add_range(struct ranges *ranges, struct range range)
{
    struct range *before = ranges->count > 0 ? &ranges->items[ranges->count - 1] : NULL;

    if (before && !before->checked && !range.checked && before->answer == range.answer)
        *before = (struct range){before->first, range.last, range.answer, NULL,
                                 before->weight + range.weight};
    else if (ranges->count < RANGES_MAX)
        ranges->items[ranges->count++] = range;
}

static void add_number(struct ranges *ranges, const struct table_arch *arch, unsigned number)
{
    const struct table_call *call = table_call_by_number(arch, number);
    struct range range = {
        .first = number,
        .last = number,
        .answer = call ? call->answer : table_unknown,
        .checked = call && table_is_checked(call->name) ? call : NULL,
        .weight = number < WALKED_NUMBERS ? 1 : 0,
    };
    add_range(ranges, range);
}

static void make_ranges(struct ranges *ranges, const struct table_arch *arch)
{
    struct range rest = {TABLE_NUMBERS, UINT32_MAX, table_unknown, NULL, 0};
    bool has_foreign = arch->foreign_first <= arch->foreign_last;

    ranges->count = 0;
    for (unsigned number = 0; number < TABLE_NUMBERS; number++)
        add_number(ranges, arch, number);
    if (has_foreign)
        rest.last = arch->foreign_first - 1;
    add_range(ranges, rest);
    rest.first = arch->foreign_last + 1;
    rest.last = UINT32_MAX;
    if (has_foreign)
        add_range(ranges,
                  (struct range){arch->foreign_first, arch->foreign_last, table_foreign, NULL, 0});
    if (has_foreign && rest.first != 0)
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
    choose_all(&ranges);
    (void)put_tree(&writer, ranges.items, 0, ranges.count); /* its root is what was written last */
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

/*
 * berm's filter compiler against two others: libseccomp's, which shares no line with it, and a
 * plain reading of the table, row by row.
 *
 * libseccomp cannot say everything that the table says (see tools/filter_compile.c), so it is asked
 * twice: once for all calls by number alone, and once for each call with clauses by itself.
 */
/* clang-format off */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
/* clang-format on */

#include <errno.h>
#include <fcntl.h>
#include <linux/audit.h>
#include <seccomp.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "filter_compile.h"
#include "filter_table.h"
#include "simulate.h"

#define PROBES_MAX 64
#define ROUNDS     100000

static struct filter_code ours_code;
static struct sock_filter theirs_code[BPF_MAXINSNS];

static struct program ours(const struct table_arch *arch)
{
    assert_int_equal(filter_compile(arch, &ours_code), 0);
    return (struct program){ours_code.statements, ours_code.count};
}

/* libseccomp writes to a descriptor only. */
static struct program theirs(scmp_filter_ctx context)
{
    int fd = memfd_create("filter", MFD_CLOEXEC);
    ssize_t size;

    assert_true(fd >= 0);
    assert_int_equal(seccomp_export_bpf(context, fd), 0);
    seccomp_release(context);
    assert_int_equal(lseek(fd, 0, SEEK_SET), 0);
    size = read(fd, theirs_code, sizeof(theirs_code));
    assert_true(size > 0);
    assert_int_equal(close(fd), 0);
    return (struct program){theirs_code, (size_t)size / sizeof(theirs_code[0])};
}

static uint32_t action_of(table_answer answer)
{
    if (answer == SECCOMP_RET_ALLOW)
        return SCMP_ACT_ALLOW;
    return SCMP_ACT_ERRNO(answer & SECCOMP_RET_DATA);
}

static scmp_filter_ctx context_for(const struct table_arch *arch, table_answer otherwise)
{
    scmp_filter_ctx context = seccomp_init(action_of(otherwise));

    assert_non_null(context);
    if (seccomp_arch_native() != arch->scmp) {
        assert_int_equal(seccomp_arch_remove(context, seccomp_arch_native()), 0);
        assert_int_equal(seccomp_arch_add(context, arch->scmp), 0);
    }
    assert_int_equal(seccomp_attr_set(context, SCMP_FLTATR_ACT_BADARCH, SCMP_ACT_KILL_PROCESS), 0);
    assert_int_equal(seccomp_attr_set(context, SCMP_FLTATR_CTL_OPTIMIZE, 2), 0);
    return context;
}

/* libseccomp takes the number of the architecture that it runs on and translates it by name. -1 for
 * what it does not know; the text tables judge these. */
static int their_number(const char *name)
{
    int number = seccomp_syscall_resolve_name(name);

    return number == __NR_SCMP_ERROR ? -1 : number;
}

/* A call whose clauses decide must agree with one of its possible answers here; which, is the other
 * test's concern. */
static bool is_possible(const struct table_call *call, uint32_t answer)
{
    for (size_t i = 0; i < table_clause_count; i++) {
        if (strcmp(table_clauses[i].call, call->name) == 0 && table_clauses[i].answer == answer)
            return true;
    }
    return answer == call->answer;
}

static void compare_number(const struct table_arch *arch, struct program a, struct program b,
                           uint32_t number)
{
    const struct table_call *call =
        number < TABLE_NUMBERS ? table_call_by_number(arch, number) : NULL;
    struct seccomp_data data = {.nr = (int)number, .arch = arch->audit};
    uint32_t answer = simulate(a, &data);

    if (call && (table_is_checked(call->name) || their_number(call->name) == -1))
        assert_true(is_possible(call, answer));
    else
        assert_int_equal(answer, simulate(b, &data));
    data.arch ^= 1; /* no architecture */
    assert_int_equal(simulate(a, &data), simulate(b, &data));
}

static struct program theirs_by_number(const struct table_arch *arch)
{
    scmp_filter_ctx context = context_for(arch, table_unknown);

    for (size_t i = 0; i < table_call_count; i++) {
        const struct table_call *call = &table_calls[i];
        int number = their_number(call->name);

        /* libseccomp refuses a rule that says what the default says already. */
        if (table_number(arch, call->name) < 0 || number == -1 || call->answer == table_unknown)
            continue;
        assert_int_equal(seccomp_rule_add(context, action_of(call->answer), number, 0), 0);
    }
    return theirs(context);
}

static void numbers_get_the_answers_of_libseccomp(void **state)
{
    (void)state;
    for (size_t i = 0; i < table_arch_count; i++) {
        const struct table_arch *arch = &table_archs[i];
        struct program a = ours(arch);
        struct program b = theirs_by_number(arch);

        for (uint32_t number = 0; number <= 2048; number++) {
            compare_number(arch, a, b, number);
            compare_number(arch, a, b, 0x40000000u + number);
            compare_number(arch, a, b, 0x80000000u + number);
            compare_number(arch, a, b, UINT32_MAX - number);
        }
    }
}

/* A libseccomp comparison takes all 64 bits: masks say which of them count. */
static struct scmp_arg_cmp comparison(const struct table_condition *condition, uint32_t value)
{
    unsigned shift = condition->is_high ? 32 : 0;

    return SCMP_CMP(condition->argument, SCMP_CMP_MASKED_EQ, (uint64_t)condition->mask << shift,
                    (uint64_t)value << shift);
}

/* A rule may name an argument once only: both halves of one become one comparison. */
static unsigned join(struct scmp_arg_cmp *comparisons, unsigned count, struct scmp_arg_cmp next)
{
    for (unsigned i = 0; i < count; i++) {
        if (comparisons[i].arg == next.arg) {
            comparisons[i].datum_a |= next.datum_a;
            comparisons[i].datum_b |= next.datum_b;
            return count;
        }
    }
    comparisons[count] = next;
    return count + 1;
}

static bool is_any(const struct table_condition *condition)
{
    return condition->first == 1 && condition->last == ~0u;
}

/* The next comparison that makes @condition hold: each bit of a mask by itself, each number of a range. False
 * when there is none behind @value. */
static bool next_value(const struct table_condition *condition, uint32_t *value, bool is_first)
{
    if (!is_any(condition)) {
        if (!is_first && *value == condition->last)
            return false;
        *value = is_first ? condition->first : *value + 1;
        return true;
    }
    uint32_t bit = is_first ? 1 : *value << 1;
    while (bit != 0 && (bit & condition->mask) == 0)
        bit <<= 1;
    *value = bit;
    return bit != 0;
}

static struct scmp_arg_cmp comparison_of(const struct table_condition *condition, uint32_t value)
{
    struct table_condition one_bit = *condition;

    if (is_any(condition))
        one_bit.mask = value;
    return comparison(&one_bit, value);
}

/* Every combination of the conditions from @depth on, one rule each. */
static void add_rules(scmp_filter_ctx context, int number, const struct table_clause *clause,
                      size_t depth, const struct scmp_arg_cmp *before, unsigned before_count)
{
    struct scmp_arg_cmp comparisons[TABLE_CONDITIONS_MAX];
    uint32_t value = 0;

    memcpy(comparisons, before, before_count * sizeof(*before));
    if (depth == TABLE_CONDITIONS_MAX || clause->conditions[depth].mask == 0) {
        assert_int_equal(seccomp_rule_add_array(context, action_of(clause->answer), number,
                                                before_count, comparisons),
                         0);
        return;
    }
    const struct table_condition *condition = &clause->conditions[depth];
    for (bool found = next_value(condition, &value, true); found;
         found = next_value(condition, &value, false)) {
        memcpy(comparisons, before, before_count * sizeof(*before));
        unsigned count = join(comparisons, before_count, comparison_of(condition, value));
        add_rules(context, number, clause, depth + 1, comparisons, count);
    }
}

static void add_clause(scmp_filter_ctx context, int number, const struct table_clause *clause)
{
    struct scmp_arg_cmp none[TABLE_CONDITIONS_MAX] = {{0}};

    add_rules(context, number, clause, 0, none, 0);
}

/* Values around which an answer may change, for every argument. */
struct probes {
    uint64_t values[PROBES_MAX];
    size_t count;
};

static void add_probe(struct probes *probes, uint64_t value)
{
    if (probes->count < PROBES_MAX)
        probes->values[probes->count++] = value;
}

static void collect(struct probes *probes, const char *name)
{
    static const uint64_t always[] = {0, 1, ~0ULL, 1ULL << 32, 1ULL << 31};

    for (size_t i = 0; i < sizeof(always) / sizeof(always[0]); i++)
        add_probe(probes, always[i]);
    for (size_t i = 0; i < table_clause_count; i++) {
        for (size_t j = 0; strcmp(table_clauses[i].call, name) == 0 && j < TABLE_CONDITIONS_MAX;
             j++) {
            const struct table_condition *c = &table_clauses[i].conditions[j];

            add_probe(probes, c->first);
            add_probe(probes, c->first - 1u);
            add_probe(probes, c->last + 1u);
            add_probe(probes, c->first | (uint32_t)~c->mask);
            add_probe(probes, 0xffffffff00000000u | c->first);
        }
    }
}

/* A small generator of our own, so that a failure can be repeated (xorshift64, Marsaglia 2003). */
static uint64_t next_random(uint64_t *state)
{
    *state ^= *state << 13;
    *state ^= *state >> 7;
    *state ^= *state << 17;
    return *state;
}

static void choose_arguments(struct seccomp_data *data, const struct probes *probes, uint64_t *seed)
{
    for (size_t i = 0; i < 6; i++) {
        uint64_t chance = next_random(seed);

        data->args[i] = probes->values[chance % probes->count];
        if (chance >> 62 == 0)
            data->args[i] ^= 1ULL << (chance >> 8) % 64;
    }
}

/* The table, read as it is written. */
static table_answer read_table(const char *name, const struct seccomp_data *data,
                               table_answer other)
{
    for (size_t i = 0; i < table_clause_count; i++) {
        const struct table_clause *clause = &table_clauses[i];
        bool holds = strcmp(clause->call, name) == 0;

        for (size_t j = 0; holds && j < TABLE_CONDITIONS_MAX && clause->conditions[j].mask != 0;
             j++) {
            const struct table_condition *c = &clause->conditions[j];
            uint32_t half = (uint32_t)(data->args[c->argument] >> (c->is_high ? 32 : 0)) & c->mask;

            holds = half >= c->first && half <= c->last;
        }
        if (holds)
            return clause->answer;
    }
    return other;
}

static void compare_arguments(const struct table_arch *arch, const struct table_call *call)
{
    struct seccomp_data data = {.nr = table_number(arch, call->name), .arch = arch->audit};
    struct program a = ours(arch);
    struct probes probes = {.count = 0};
    uint64_t seed = 88172645463325252u;

    collect(&probes, call->name);
    for (unsigned round = 0; round < ROUNDS; round++) {
        choose_arguments(&data, &probes, &seed);
        assert_int_equal(simulate(a, &data), read_table(call->name, &data, call->answer));
    }
}

static void arguments_get_the_answers_of_the_table(void **state)
{
    (void)state;
    for (size_t i = 0; i < table_arch_count; i++) {
        for (size_t j = 0; j < table_call_count; j++) {
            if (table_is_checked(table_calls[j].name) &&
                table_number(&table_archs[i], table_calls[j].name) >= 0)
                compare_arguments(&table_archs[i], &table_calls[j]);
        }
    }
}

/* libseccomp gives no order to rules that overlap, so calls in which clauses of different answers
 * can hold together are left to the table test. */
static bool has_one_answer(const char *name, table_answer other)
{
    table_answer first = 0;

    for (size_t i = 0; i < table_clause_count; i++) {
        if (strcmp(table_clauses[i].call, name) != 0)
            continue;
        if (table_clauses[i].answer == other || (first != 0 && table_clauses[i].answer != first))
            return false;
        first = table_clauses[i].answer;
    }
    return first != 0;
}

static void compare_with_libseccomp(const struct table_arch *arch, const struct table_call *call)
{
    struct seccomp_data data = {.nr = table_number(arch, call->name), .arch = arch->audit};
    scmp_filter_ctx context = context_for(arch, call->answer);
    struct probes probes = {.count = 0};
    uint64_t seed = 1181783497276652981u;
    struct program a = ours(arch);
    struct program b;

    for (size_t i = 0; i < table_clause_count; i++) {
        if (strcmp(table_clauses[i].call, call->name) == 0)
            add_clause(context, their_number(call->name), &table_clauses[i]);
    }
    b = theirs(context);
    collect(&probes, call->name);
    for (unsigned round = 0; round < ROUNDS; round++) {
        choose_arguments(&data, &probes, &seed);
        assert_int_equal(simulate(a, &data), simulate(b, &data));
    }
}

static void arguments_get_the_answers_of_libseccomp(void **state)
{
    unsigned compared = 0;

    (void)state;
    for (size_t i = 0; i < table_arch_count; i++) {
        for (size_t j = 0; j < table_call_count; j++) {
            const struct table_call *call = &table_calls[j];

            if (!has_one_answer(call->name, call->answer) ||
                table_number(&table_archs[i], call->name) < 0)
                continue;
            compare_with_libseccomp(&table_archs[i], call);
            compared++;
        }
    }
    assert_true(compared >= 14); /* clone, unshare, ioctl, ... on both architectures */
}

static void programs_are_sound_and_every_statement_is_reached(void **state)
{
    (void)state;
    for (size_t i = 0; i < table_arch_count; i++) {
        struct program program = ours(&table_archs[i]);

        assert_int_equal(table_check(&table_archs[i]), 0);
        assert_int_equal(simulate_check(program), 0);
        assert_int_equal(simulate_unreachable(program), 0);
        /* Each statement costs install time in every run: docs/decisions/0003-filter.md. */
        assert_true(program.count <= 200);
    }
}

static void embedded_program_is_the_compiled_one(void **state)
{
#if defined(__x86_64__)
    struct program program = ours(table_arch_by_name("x86_64"));
#else
    struct program program = ours(table_arch_by_name("aarch64"));
#endif
    const struct filter_program *embedded = &filter_programs[FILTER_STANDARD];

    (void)state;
    assert_int_equal(embedded->count, program.count);
    assert_int_equal(memcmp(embedded->statements, program.statements,
                            program.count * sizeof(program.statements[0])),
                     0);
    assert_string_equal(embedded->name, "standard");
    assert_null(filter_programs[FILTER_NONE].statements);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(programs_are_sound_and_every_statement_is_reached),
        cmocka_unit_test(embedded_program_is_the_compiled_one),
        cmocka_unit_test(numbers_get_the_answers_of_libseccomp),
        cmocka_unit_test(arguments_get_the_answers_of_the_table),
        cmocka_unit_test(arguments_get_the_answers_of_libseccomp),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

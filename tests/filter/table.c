/*
 * Checks a filter against a text table of claims.
 *
 *   check-table ARCH PROGRAM TABLE...
 *
 * A row: architecture, calls, arguments, answer. PROGRAM is what `gen-filter bpf ARCH` wrote. Rows
 * of other architectures are passed over; a table without a row for this one is a failure.
 *
 *   architecture  x86_64, aarch64, both; i386 (judged by the x86_64 program), arm (by aarch64's)
 *   calls         names or numbers with commas between them, or FIRST..LAST
 *   arguments     numbers with commas between them, the rest is 0; `any`: the same answer for
 *                 every argument; many are tried
 *   answer        allow, kill, or an errno
 */
#include <errno.h>
#include <linux/audit.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "filter_table.h"
#include "simulate.h"

#define COLUMNS 4

struct judge {
    const struct table_arch *arch;
    struct program program;
    const char *table;
    unsigned line;
    unsigned checks, failures;
};

/* One row, its columns pointing into the line. */
struct row {
    char *arch, *calls, *arguments, *answer;
};

static const struct {
    const char *name;
    uint32_t answer;
} answers[] = {
    {"allow",           SECCOMP_RET_ALLOW                  },
    {"kill",            SECCOMP_RET_KILL_PROCESS           },
    {"EPERM",           SECCOMP_RET_ERRNO | EPERM          },
    {"ENOSYS",          SECCOMP_RET_ERRNO | ENOSYS         },
    {"EINVAL",          SECCOMP_RET_ERRNO | EINVAL         },
    {"EAFNOSUPPORT",    SECCOMP_RET_ERRNO | EAFNOSUPPORT   },
    {"EPROTONOSUPPORT", SECCOMP_RET_ERRNO | EPROTONOSUPPORT},
    {"EBADRQC",         SECCOMP_RET_ERRNO | EBADRQC        },
};

static void fail(struct judge *judge, const char *what, const char *where)
{
    (void)fprintf(stderr, "%s:%u: %s: %s\n", judge->table, judge->line, where, what);
    judge->failures++;
}

static bool find_answer(const char *name, uint32_t *ret_answer)
{
    for (size_t i = 0; i < sizeof(answers) / sizeof(answers[0]); i++) {
        if (strcmp(answers[i].name, name) == 0) {
            *ret_answer = answers[i].answer;
            return true;
        }
    }
    return false;
}

/* 0 when the row is not for this program. */
static uint32_t find_audit(const struct judge *judge, const char *arch)
{
    bool is_x86 = judge->arch->audit == AUDIT_ARCH_X86_64;

    if (strcmp(arch, "both") == 0 || strcmp(arch, judge->arch->name) == 0)
        return judge->arch->audit;
    if (strcmp(arch, "i386") == 0 && is_x86)
        return AUDIT_ARCH_I386;
    if (strcmp(arch, "arm") == 0 && !is_x86)
        return AUDIT_ARCH_ARM;
    return 0;
}

static void expect(struct judge *judge, const struct seccomp_data *call, uint32_t want)
{
    uint32_t seen = simulate(judge->program, call);
    char where[64];
    char what[64];

    judge->checks++;
    if (seen == want)
        return;
    (void)snprintf(where, sizeof(where), "call %u (0x%llx, 0x%llx, 0x%llx)", (unsigned)call->nr,
                   call->args[0], call->args[1], call->args[2]);
    (void)snprintf(what, sizeof(what), "0x%08x instead of 0x%08x", seen, want);
    fail(judge, what, where);
}

/* Arguments that a rule could trip over: nothing, everything, single bits, halves. */
static void expect_any(struct judge *judge, struct seccomp_data *call, uint32_t want)
{
    static const uint64_t patterns[] = {0, ~0ULL, 1, 0xffffffff00000000, 0x5412, 0x10000000};

    for (size_t i = 0; i < sizeof(patterns) / sizeof(patterns[0]); i++) {
        for (size_t j = 0; j < 6; j++)
            call->args[j] = patterns[(i + j * (i & 1)) % (sizeof(patterns) / sizeof(patterns[0]))];
        expect(judge, call, want);
    }
}

static void expect_row(struct judge *judge, const struct row *row, uint32_t number, uint32_t want)
{
    struct seccomp_data call = {.nr = (int)number, .arch = find_audit(judge, row->arch)};
    char text[256];
    char *state = NULL;
    size_t count = 0;

    if (strcmp(row->arguments, "any") == 0) {
        expect_any(judge, &call, want);
        return;
    }
    (void)snprintf(text, sizeof(text), "%s", row->arguments);
    for (char *one = strtok_r(text, ",", &state); one; one = strtok_r(NULL, ",", &state)) {
        char *end = NULL;

        if (count == 6) {
            fail(judge, "more than six arguments", row->arguments);
            return;
        }
        call.args[count++] = strtoull(one, &end, 0);
        if (*end != '\0')
            fail(judge, "not a number", one);
    }
    expect(judge, &call, want);
}

static void expect_calls(struct judge *judge, const struct row *row, char *calls, uint32_t want)
{
    char *end = NULL;
    unsigned long first = strtoul(calls, &end, 0);
    unsigned long last = first;

    if (end == calls) {
        int number = table_number(judge->arch, calls);

        if (number < 0)
            fail(judge, "no such call on this architecture", calls);
        else
            expect_row(judge, row, (uint32_t)number, want);
        return;
    }
    if (strncmp(end, "..", 2) == 0)
        last = strtoul(end + 2, &end, 0);
    if (*end != '\0' || last < first || last > UINT32_MAX)
        fail(judge, "neither a call nor a range", calls);
    else
        for (unsigned long number = first; number <= last; number++)
            expect_row(judge, row, (uint32_t)number, want);
}

static void judge_row(struct judge *judge, const struct row *row)
{
    uint32_t want = 0;
    char *state = NULL;

    if (find_audit(judge, row->arch) == 0)
        return;
    if (!find_answer(row->answer, &want)) {
        fail(judge, "unknown answer", row->answer);
        return;
    }
    for (char *one = strtok_r(row->calls, ",", &state); one; one = strtok_r(NULL, ",", &state))
        expect_calls(judge, row, one, want);
}

static void judge_line(struct judge *judge, char *line)
{
    char *columns[COLUMNS + 1] = {NULL};
    char *state = NULL;
    size_t count = 0;

    line[strcspn(line, "#\n")] = '\0';
    for (char *one = strtok_r(line, " \t", &state); one && count <= COLUMNS;
         one = strtok_r(NULL, " \t", &state))
        columns[count++] = one;
    if (count == 0)
        return;
    if (count != COLUMNS) {
        fail(judge, "four columns are needed", columns[0]);
        return;
    }
    judge_row(judge, &(struct row){columns[0], columns[1], columns[2], columns[3]});
}

static void judge_table(struct judge *judge, const char *path)
{
    FILE *file = fopen(path, "re");
    unsigned before = judge->checks;
    char line[1024];

    judge->table = path;
    judge->line = 0;
    if (!file) {
        fail(judge, strerror(errno), path);
        return;
    }
    while (fgets(line, sizeof(line), file)) {
        judge->line++;
        judge_line(judge, line);
    }
    (void)fclose(file); /* only read */
    if (judge->checks == before)
        fail(judge, "no row was checked", path);
}

static bool read_program(struct judge *judge, const char *path)
{
    static struct sock_filter statements[BPF_MAXINSNS];
    FILE *file = fopen(path, "re");

    if (!file)
        return false;
    judge->program.statements = statements;
    judge->program.count = fread(statements, sizeof(statements[0]), BPF_MAXINSNS, file);
    (void)fclose(file); /* only read */
    return simulate_check(judge->program) == 0;
}

int main(int argc, char **argv)
{
    struct judge judge = {.table = "check-table"};

    if (argc < 4) {
        (void)fprintf(stderr, "usage: check-table ARCH PROGRAM TABLE...\n");
        return 2;
    }
    judge.arch = table_arch_by_name(argv[1]);
    if (!judge.arch || !read_program(&judge, argv[2])) {
        (void)fprintf(stderr, "check-table: %s %s: no sound program\n", argv[1], argv[2]);
        return 2;
    }
    for (int i = 3; i < argc; i++)
        judge_table(&judge, argv[i]);
    (void)printf("%s: %u checks, %u failures\n", argv[1], judge.checks, judge.failures);
    return judge.failures == 0 ? 0 : 1;
}

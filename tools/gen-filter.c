/*
 * gen-filter: writes the system-call filters at build time.
 *
 *   gen-filter c               the C file that berm links: filter_programs[] of linux/filter.h
 *   gen-filter bpf ARCH        the raw statements of FILTER_STANDARD, as `bwrap --seccomp` also
 *                              take them; for the tests
 *   gen-filter list ARCH       number, name, answer, why: for the documentation
 *
 * In: layers/syscall_sets.def. Out: stdout. Must never: write anything when the table is not sound.
 */
#include <errno.h>
#include <linux/seccomp.h>
#include <stdio.h>
#include <string.h>

#include "filter_compile.h"
#include "filter_table.h"

static const struct table_arch *arch_of(const char *name)
{
    const struct table_arch *arch = table_arch_by_name(name);

    if (!arch)
        (void)fprintf(stderr, "gen-filter: no architecture called %s\n", name);
    return arch;
}

static int compile(const struct table_arch *arch, struct filter_code *code)
{
    if (table_check(arch) != 0)
        return -EINVAL;
    if (filter_compile(arch, code) != 0) {
        (void)fprintf(stderr, "gen-filter: %s: too many statements\n", arch->name);
        return -E2BIG;
    }
    return 0;
}

static void print_statements(const struct filter_code *code)
{
    for (unsigned i = 0; i < code->count; i++) {
        const struct sock_filter *s = &code->statements[i];

        (void)printf("    {0x%02x, %u, %u, 0x%08x},\n", s->code, s->jt, s->jf, s->k);
    }
}

static int print_arch(const struct table_arch *arch, bool is_first)
{
    static struct filter_code code;
    int r = compile(arch, &code);

    if (r != 0)
        return r;
    (void)printf("#%s defined(%s)\n", is_first ? "if" : "elif", arch->macro);
    for (size_t i = 0; i < table_profile_count; i++) {
        (void)printf("static const struct sock_filter %s[] = {\n", table_profiles[i].text);
        print_statements(&code);
        (void)printf("};\n");
    }
    return 0;
}

static int print_c(void)
{
    (void)printf("/* Made by tools/gen-filter from layers/syscall_sets.def. */\n"
                 "#include <stddef.h>\n\n#include \"linux/filter.h\"\n\n");
    for (size_t i = 0; i < table_arch_count; i++) {
        int r = print_arch(&table_archs[i], i == 0);

        if (r != 0)
            return r;
    }
    (void)printf("#else\n#error \"no system-call filter for this architecture\"\n#endif\n\n"
                 "const struct filter_program filter_programs[FILTER_COUNT] = {\n"
                 "    [FILTER_NONE] = {\"none\", NULL, 0},\n");
    for (size_t i = 0; i < table_profile_count; i++) {
        const struct table_profile *p = &table_profiles[i];

        (void)printf("    [FILTER_%s] = {\"%s\", %s, sizeof(%s) / sizeof(%s[0])},\n", p->id,
                     p->text, p->text, p->text, p->text);
    }
    (void)printf("};\n");
    return 0;
}

static int print_bpf(const struct table_arch *arch)
{
    static struct filter_code code;
    int r = compile(arch, &code);

    if (r != 0)
        return r;
    if (fwrite(code.statements, sizeof(code.statements[0]), code.count, stdout) != code.count)
        return -EIO;
    return 0;
}

static const char *answer_word(const struct table_call *call)
{
    if (table_is_checked(call->name))
        return "by its arguments";
    if (call->answer == SECCOMP_RET_ALLOW)
        return "allowed";
    return call->answer == table_unknown ? "ENOSYS" : "EPERM";
}

static int print_list(const struct table_arch *arch)
{
    if (table_check(arch) != 0)
        return -EINVAL;
    for (unsigned number = 0; number < TABLE_NUMBERS; number++) {
        const struct table_call *call = table_call_by_number(arch, number);

        if (call)
            (void)printf("%u\t%s\t%s\t%s\n", number, call->name, answer_word(call), call->why);
    }
    return 0;
}

int main(int argc, char **argv)
{
    const struct table_arch *arch = argc == 3 ? arch_of(argv[2]) : NULL;
    int r = -EINVAL;

    if (argc == 2 && strcmp(argv[1], "c") == 0)
        r = print_c();
    else if (arch && strcmp(argv[1], "bpf") == 0)
        r = print_bpf(arch);
    else if (arch && strcmp(argv[1], "list") == 0)
        r = print_list(arch);
    else
        (void)fprintf(stderr, "usage: gen-filter c | bpf ARCH | list ARCH\n");
    if (r == 0 && fflush(stdout) != 0)
        r = -EIO;
    return r == 0 ? 0 : 1;
}

/*
 * The texts of the help. Owns the layout; the words stand in fields.def.
 */
#include "cli/help.h"

#include <errno.h>
#include <stdbool.h>
#include <string.h>

#include "base/error.h"
#include "cli/complain.h"
#include "cli/options.h"
#include "cli/verb.h"
#include "policy/policy.h"

/* Where the explanation of a flag begins. A longer flag has a line of its own. */
#define TEXT_COLUMN 24
#define NAME_SIZE   64

/* clang-format off */
static const struct usage {
    const char *verb;
    bool has_options; /* of a run */
    const char *synopsis, *purpose;
} usages[] = {
    {"run", true, "berm run [OPTION]... [--] PROGRAM [ARGUMENT]...",
     "Run a program that nobody vouches for, and bound the damage."},
    {"code", true, "berm code --lang LANG [OPTION]... [FILE|-]",
     "Run a program text, from a file or from standard input, as `berm run` runs a program."},
    {"explain", true, "berm explain [OPTION]... [--] [PROGRAM [ARGUMENT]...]",
     "Print what `berm run` with the same words would promise, and how. Nothing runs."},
    {"doctor", false, "berm doctor [--json]",
     "Say what this machine can give: every mechanism is tried, not guessed. Exit status 0 when "
     "every layer can be had, 1 when one cannot."},
    {"version", false, "berm version", "Print the version."},
    {"completion", false, "berm completion bash|zsh|fish", "Print a completion script for a shell."},
    {"help", false, "berm help [VERB]", "Print the verbs, or what one of them takes."},
};

/* clang-format on */

static const struct {
    const char *group, *title;
} titles[] = {
    {"limits",     "Limits"     },
    {"env",        "Environment"},
    {"filesystem", "Filesystem" },
    {"network",    "Network"    },
    {"output",     "Output"     },
};

/* A paragraph that is being set: where the next word goes. */
struct column {
    FILE *out;
    size_t indent, at;
};

static void put_word(struct column *column, const char *word, size_t size)
{
    bool is_first = column->at == column->indent;

    if (!is_first && column->at + 1 + size > HELP_WIDTH) {
        (void)fprintf(column->out, "\n%*s", (int)column->indent, "");
        column->at = column->indent;
        is_first = true;
    }
    (void)fprintf(column->out, "%s%.*s", is_first ? "" : " ", (int)size, word);
    column->at += size + (is_first ? 0 : 1);
}

static void put_text(struct column *column, const char *text)
{
    while (*text) {
        size_t size = strcspn(text, " ");
        if (strncmp(text + size, " %", 2) == 0)
            size += 1 + strcspn(text + size + 1, " "); /* the sign stays with its number */
        put_word(column, text, size);
        text += size;
        text += strspn(text, " ");
    }
}

/* "  --wall TIME", and the cursor at the column of the text. */
static struct column begin_flag(FILE *out, const char *name)
{
    int written = fprintf(out, "  %s", name);

    if (written < 0 || written > TEXT_COLUMN - 2)
        (void)fprintf(out, "\n%*s", TEXT_COLUMN, "");
    else
        (void)fprintf(out, "%*s", TEXT_COLUMN - written, "");
    return (struct column){.out = out, .indent = TEXT_COLUMN, .at = TEXT_COLUMN};
}

static void name_flag(const struct flag *flag, const char *before, char ret_name[static NAME_SIZE])
{
    (void)snprintf(ret_name, NAME_SIZE, "%s--%s%s%s", before, flag->word, *flag->arg ? " " : "",
                   flag->arg);
}

static void put_flag(FILE *out, const struct flag *flag, const char *before)
{
    char name[NAME_SIZE];

    name_flag(flag, before, name);
    struct column column = begin_flag(out, name);
    put_text(&column, flag->help);
    (void)fputc('\n', out);
}

/* "Default 30s, lesson 1500ms." A switch and a list have none worth a word. */
static void put_default(struct column *column, const struct field_info *field)
{
    const char *standard = field->defaults[PROFILE_STANDARD];
    const char *lesson = field->defaults[PROFILE_LESSON];
    char text[NAME_SIZE];

    if (field->type == TYPE_SWITCH || !*standard)
        return;
    if (strcmp(standard, lesson) == 0)
        (void)snprintf(text, sizeof(text), "Default %s.", standard);
    else
        (void)snprintf(text, sizeof(text), "Default %s, lesson %s.", standard, lesson);
    put_text(column, text);
}

static void put_field(FILE *out, const struct flag *flag)
{
    const struct field_info *field = &policy_fields[flag->id];
    char text[NAME_SIZE];

    name_flag(flag, "", text);
    struct column column = begin_flag(out, text);
    put_text(&column, field->help);
    put_default(&column, field);
    (void)snprintf(text, sizeof(text), "From %s.", policy_level_name(field->from));
    put_text(&column, text);
    (void)fputc('\n', out);
}

/* A verb's help shows what the verb takes: the language belongs to program texts alone. */
static bool is_of_verb(size_t flag, const char *verb)
{
    return flag != FLAG_OPTION_lang || strcmp(verb, "code") == 0;
}

static void put_kind(FILE *out, enum flag_kind kind, const char *verb)
{
    for (size_t i = 0; i < FLAG_COUNT; i++)
        if (option_flags[i].kind == kind && is_of_verb(i, verb))
            put_flag(out, &option_flags[i], i == FLAG_OPTION_tty ? "-t, " : "");
}

static void put_group(FILE *out, const char *group, const char *title)
{
    bool is_begun = false;

    for (size_t i = 0; i < FLAG_COUNT; i++) {
        const struct flag *flag = &option_flags[i];
        if (flag->kind != FLAG_FIELD || strcmp(policy_fields[flag->id].group, group) != 0)
            continue;
        if (!is_begun)
            (void)fprintf(out, "\n%s:\n", title);
        is_begun = true;
        put_field(out, flag);
    }
}

static void put_notes(FILE *out)
{
    static const char *const notes[] = {
        "\"From L3\" means: the option has an effect from that level on; given below it, or while "
        "its layer is off, it is an error.",
        "TIME is written as in 1.5s, 500ms or 2m; SIZE as in 512MiB or 64KiB. A number without a "
        "unit is an error where the unit is not obvious.",
        "LAYER is limits, env, process, network, filesystem, privileges or syscalls.",
        "Exit status: the program's own; 124 wall clock, 125 berm refused or failed, 126 not "
        "executable, 127 not found, 137 memory, processes or output, 152 CPU time, 153 disk, 159 "
        "system call, 128+n signal n. The JSON result tells them apart for certain.",
    };
    for (size_t i = 0; i < sizeof(notes) / sizeof(notes[0]); i++) {
        struct column column = {.out = out};
        (void)fputc('\n', out);
        put_text(&column, notes[i]);
        (void)fputc('\n', out);
    }
}

static void put_options(FILE *out, const char *verb)
{
    (void)fputs("\nWhat is on:\n", out);
    put_kind(out, FLAG_SELECTOR, verb);
    for (size_t i = 0; i < sizeof(titles) / sizeof(titles[0]); i++)
        put_group(out, titles[i].group, titles[i].title);
    (void)fputs("\nInput and output:\n", out);
    put_kind(out, FLAG_OPTION, verb);
    struct column column = begin_flag(out, "-h, --help");
    put_text(&column, "Print this and do nothing else.");
    (void)fputc('\n', out);
    put_notes(out);
}

int help_verb(const char *verb, FILE *out)
{
    struct column column = {.out = out};
    const struct usage *usage = usages;
    const struct usage *end = usages + sizeof(usages) / sizeof(usages[0]);

    while (usage < end && strcmp(usage->verb, verb) != 0)
        usage++;
    if (usage == end)
        return -ENOENT;
    (void)fprintf(out, "Usage: %s\n\n", usage->synopsis);
    put_text(&column, usage->purpose);
    (void)fputc('\n', out);
    if (usage->has_options)
        put_options(out, verb);
    return 0;
}

void help_overview(FILE *out)
{
    (void)fputs("Usage: berm VERB [WORD]...\n\n"
                "Run a program that nobody vouches for, and bound the damage.\n\n"
                "Verbs:\n",
                out);
    for (const struct verb *verb = cli_verbs; verb->name; verb++) {
        struct column column = begin_flag(out, verb->name);
        put_text(&column, verb->summary);
        (void)fputc('\n', out);
    }
    (void)fputs("\n`berm help VERB` says more about one of them.\n", out);
}

int help_exit(const char *verb)
{
    struct berm_error err;

    if (help_verb(verb, stdout) == 0 && fflush(stdout) == 0 && !ferror(stdout))
        return 0;
    (void)error_set(&err, BERM_E_SYSTEM, BERM_LAYER_NONE, errno, NULL, "cannot write the help: %s",
                    strerror(errno));
    return complain(&err);
}

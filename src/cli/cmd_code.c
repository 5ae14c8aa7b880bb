/*
 * berm code: the program text goes in, its output comes back.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/error.h"
#include "base/quote.h"
#include "cli/help.h"
#include "cli/run_command.h"
#include "cli/verb.h"
#include "layers/choices.h"

/* What a compiler makes, in the work directory. */
#define PRODUCT "program"

/* Larger texts are data, not programs. */
#define PROGRAM_SIZE_MAX (1u << 20)
#define PROGRAM_NAME_MAX 64

#define WORDS_MAX 16
#define WORD_SIZE 160

struct runner {
    const char *name, *aliases, *file, *programs, *package, *compile, *run;
};

static const struct runner runners[] = {
#define RUNNER(...) {__VA_ARGS__},
#include "cli/runners.def"
#undef RUNNER
};

#define RUNNER_COUNT (sizeof(runners) / sizeof(runners[0]))

/* Copy the next word of a list; returns what follows it, or NULL when there is none. */
static const char *next_word(const char *list, char word[PROGRAM_NAME_MAX])
{
    list += strspn(list, " ");
    size_t length = strcspn(list, " ");

    if (length == 0 || length >= PROGRAM_NAME_MAX)
        return NULL;
    memcpy(word, list, length);
    word[length] = '\0';
    return list + length;
}

static bool has_word(const char *list, const char *wanted)
{
    char word[PROGRAM_NAME_MAX];

    while ((list = next_word(list, word)) != NULL) {
        if (strcmp(word, wanted) == 0)
            return true;
    }
    return false;
}

static int unknown_language(const char *name, struct berm_error *err)
{
    char list[256] = "";
    size_t used = 0;

    for (size_t i = 0; i < RUNNER_COUNT && used < sizeof(list); i++)
        used += (size_t)snprintf(list + used, sizeof(list) - used, "%s%s", i > 0 ? ", " : "",
                                 runners[i].name);
    return error_set(
        err, BERM_E_INVALID, BERM_LAYER_NONE, EINVAL, "--lang is one of the names above",
        name ? "--lang %.40s is not known; known are: %s" : "--lang is missing%.0s; known are: %s",
        name ? name : "", list);
}

static const struct runner *find_runner(const char *name)
{
    for (size_t i = 0; i < RUNNER_COUNT; i++) {
        if (strcmp(runners[i].name, name) == 0 || has_word(runners[i].aliases, name))
            return &runners[i];
    }
    return NULL;
}

/* Looked up on the host, where the system directories of every level come from. */
static int find_interpreter(const struct runner *runner, char program[PROGRAM_NAME_MAX],
                            struct berm_error *err)
{
    static const char *const places[] = {"/usr/local/bin", "/usr/bin", "/bin"};
    const char *list = runner->programs;
    char path[128];
    char cure[BERM_CURE_SIZE];

    while ((list = next_word(list, program)) != NULL) {
        for (size_t i = 0; i < sizeof(places) / sizeof(places[0]); i++) {
            (void)snprintf(path, sizeof(path), "%s/%s", places[i], program);
            if (access(path, X_OK) == 0)
                return 0;
        }
    }
    (void)snprintf(cure, sizeof(cure), "install it: apt install %s", runner->package);
    return error_set(err, BERM_E_NOT_FOUND, BERM_LAYER_NONE, ENOENT, cure,
                     "no interpreter for %s is installed in /usr/local/bin, /usr/bin or /bin "
                     "(looked for: %s)",
                     runner->name, runner->programs);
}

static int read_program(const char *from, char **ret_text, struct berm_error *err)
{
    bool is_stdin = !from || strcmp(from, "-") == 0;
    size_t used = 0;
    ssize_t n = 1;
    AUTO_FREE char *text = malloc(PROGRAM_SIZE_MAX + 1);
    AUTO_FD int fd =
        is_stdin ? fcntl(STDIN_FILENO, F_DUPFD_CLOEXEC, 3) : open(from, O_RDONLY | O_CLOEXEC);

    if (!text || fd < 0)
        return error_set(err, BERM_E_INVALID, BERM_LAYER_NONE, errno, "name a file, or - for stdin",
                         "cannot read the program %s: %s", is_stdin ? "-" : from, strerror(errno));
    while (n > 0 && used <= PROGRAM_SIZE_MAX) {
        n = read(fd, text + used, PROGRAM_SIZE_MAX + 1 - used);
        if (n < 0)
            return error_set(err, BERM_E_INVALID, BERM_LAYER_NONE, errno, NULL,
                             "cannot read the program %s: %s", is_stdin ? "-" : from,
                             strerror(errno));
        used += (size_t)n;
    }
    if (used > PROGRAM_SIZE_MAX)
        return error_set(err, BERM_E_INVALID, BERM_LAYER_NONE, E2BIG,
                         "put data into files and keep the program short",
                         "the program is longer than 1 MiB");
    text[used] = '\0';
    if (strlen(text) != used)
        return error_set(err, BERM_E_INVALID, BERM_LAYER_NONE, EINVAL, "give the program as text",
                         "the program holds a NUL byte at offset %zu", strlen(text));
    *ret_text = take_text(&text);
    return 0;
}

/* The compile step's own limits: what a compiler needs, whatever the program is allowed. */
struct compile_limit {
    const char *key, *value;
};

static const struct compile_limit compile_limits[] = {
    {"wall",       "60s"   },
    {"cpu_time",   "60s"   },
    {"memory",     "1GiB"  },
    {"processes",  "256"   },
    {"open_files", "1024"  },
    {"file_size",  "256MiB"},
    {"output",     "102400"},
    {"cpus",       "2"     },
};

/* One command line, its words in storage of its own. */
struct words {
    char text[WORDS_MAX][WORD_SIZE];
    char *argv[WORDS_MAX + 1];
};

/* Put the words of a row together. */
static void fill_words(struct words *words, const char *list, const char *program,
                       const struct runner *runner, const char *work)
{
    char word[PROGRAM_NAME_MAX];
    size_t count = 0;

    while (count < WORDS_MAX && (list = next_word(list, word)) != NULL) {
        char *text = words->text[count];

        if (strcmp(word, "%p") == 0)
            (void)snprintf(text, WORD_SIZE, "%s", program);
        else if (strcmp(word, "%f") == 0)
            (void)snprintf(text, WORD_SIZE, "%s/%s", work, runner->file);
        else if (strcmp(word, "%o") == 0)
            (void)snprintf(text, WORD_SIZE, "%s/" PRODUCT, work);
        else if (strcmp(word, "%w") == 0)
            (void)snprintf(text, WORD_SIZE, "%s", work);
        else
            (void)snprintf(text, WORD_SIZE, "%s", word);
        words->argv[count++] = text;
    }
    words->argv[count] = NULL;
}

/* The compiler runs under the same policy but for its limits: the flags are read once more. */
static int make_compile_policy(struct run_command *command, int argc, char **argv,
                               struct berm_error *err)
{
    struct run_options ignored;
    int index = 0;

    command->compile_policy = policy_new();
    if (!command->compile_policy)
        return error_set(err, BERM_E_SYSTEM, BERM_LAYER_NONE, ENOMEM, NULL, "no memory");
    int r = options_parse(argc, argv, command->compile_policy, &ignored, &index, err);
    for (size_t i = 0; r == 0 && i < sizeof(compile_limits) / sizeof(compile_limits[0]); i++)
        r = policy_set(command->compile_policy, compile_limits[i].key, compile_limits[i].value,
                       "the compile step", err);
    return r;
}

static int plan_code(struct run_command *command, const struct runner *runner, const char *text,
                     int argc, char **argv, struct berm_error *err)
{
    static const char mark[] = {PLAN_WORK_MARK, '\0'};
    char program[PROGRAM_NAME_MAX];
    struct request_file file = {.name = runner->file, .text = text};
    struct words compile;
    struct words run;
    const char *work = run_command_has_small_root(command) ? INSIDE_WORK : mark;

    int r = find_interpreter(runner, program, err);
    if (r == 0 && runner->compile[0] != '\0')
        r = make_compile_policy(command, argc, argv, err);
    if (r < 0)
        return run_command_refuse(command, err);
    fill_words(&run, runner->run, program, runner, work);
    fill_words(&compile, runner->compile, program, runner, work);
    command->compile_program = compile.argv;
    command->files = &file;
    command->words->left_out = runner->file;
    command->file_count = 1;
    run_command_begin_early(command);
    r = run_command_plan(command, run.argv, err);
    return r < 0 ? run_command_refuse(command, err) : run_command_execute(command);
}

/* A word behind the program's file would be passed over: a limit that does not limit, an argument that nobody gets. */
static int refuse_words(const struct run_command *command, int argc, char **argv,
                        struct berm_error *err)
{
    struct quoted word;
    int next = command->command_index + 1;

    if (next >= argc)
        return 0;
    bool is_option = argv[next][0] == '-' && argv[next][1] != '\0';
    return error_set(err, BERM_E_INVALID, BERM_LAYER_NONE, 0,
                     is_option ? "write options before the program's file"
                               : "give a program text its input by --stdin or a file",
                     is_option
                         ? "the option %s stands behind the program's file"
                         : "the word %s stands behind the program's file: a program text takes no "
                           "arguments",
                     quote_text(&word, argv[next]));
}

/* Whether AT is the work directory itself, or the file in it that holds the text or what is built from it. */
static bool is_text_path(const char *at, const struct runner *runner)
{
    size_t length = strlen(INSIDE_WORK);

    if (strncmp(at, INSIDE_WORK, length) != 0)
        return false;
    if (at[length] == '\0')
        return true;
    const char *file = at + length + 1;
    return at[length] == '/' && (strcmp(file, runner->file) == 0 || strcmp(file, PRODUCT) == 0);
}

/* The text lies in the work directory: what is brought in over it would be executed in its stead. */
static int refuse_cover(const struct text_list *list, const char *flag, const struct runner *runner,
                        struct berm_error *err)
{
    char path[4096];
    char at[4096];
    struct quoted item;

    for (size_t i = 0; i < list->count; i++) {
        if (policy_split_bind(list->items[i], path, sizeof(path), at, sizeof(at), NULL) < 0)
            continue;
        size_t length = strlen(at);
        while (length > 1 && at[length - 1] == '/')
            at[--length] = '\0';
        if (is_text_path(at, runner))
            return error_set(err, BERM_E_INVALID, BERM_LAYER_FILESYSTEM, 0,
                             "bring it in below the work directory, as in --ro DIR:/work/data",
                             "%s %s would cover the program's own text in /work", flag,
                             quote_text(&item, list->items[i]));
    }
    return 0;
}

int cmd_code(int argc, char **argv)
{
    struct run_command command;
    struct berm_error err = {0};
    AUTO_FREE char *text = NULL;

    run_command_init(&command);
    int r = run_command_parse(&command, argc, argv, &err);
    if (r == 0 && command.options.wants_help) {
        run_command_done(&command);
        return help_exit("code");
    }
    const char *language = command.options.lang;
    const struct runner *runner = language ? find_runner(language) : NULL;
    const char *from = command.command_index < argc ? argv[command.command_index] : "-";
    if (r == 0 && !runner)
        r = unknown_language(language, &err);
    if (r == 0)
        r = refuse_words(&command, argc, argv, &err);
    if (r == 0 && runner)
        r = refuse_cover(&command.policy->ro, "--ro", runner, &err);
    if (r == 0 && runner)
        r = refuse_cover(&command.policy->rw, "--rw", runner, &err);
    if (r == 0)
        r = read_program(from, &text, &err);
    /* The text took standard input: nothing of it is left for the program, unless --stdin names a file. */
    if (r == 0 && strcmp(from, "-") == 0 && !command.options.stdin_from)
        command.options.stdin_from = "none";
    command.is_capturing = true;
    int status = r < 0 || !runner ? run_command_refuse(&command, &err)
                                  : plan_code(&command, runner, text, argc, argv, &err);
    run_command_done(&command);
    return status;
}

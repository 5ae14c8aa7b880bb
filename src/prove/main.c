/*
 * berm-prove: what `berm prove` starts.
 */
#include <errno.h>
#include <getopt.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/utsname.h>
#include <time.h>
#include <unistd.h>

#include "base/error.h"
#include "prove/berm_column.h"
#include "prove/defects.h"
#include "prove/experiment.h"
#include "prove/programs.h"
#include "prove/report.h"
#include "prove/world.h"
#include "prove/wrapper.h"

#define EXIT_KEPT     0
#define EXIT_MISSED   1
#define EXIT_REFUSED  125
#define LEVEL_LAST    6
#define AGAINST_MAX   (COLUMNS_MAX - 1)
#define WORKERS       2
#define WIDTH_DEFAULT 80

struct prove_options {
    const char *only[256];
    size_t only_count;
    bool levels[LEVEL_LAST + 1];
    bool has_levels;
    const char *against[AGAINST_MAX];
    size_t against_count;
    const char *html, *explain;
    bool is_against_all;
    bool json, markdown, list, help, defects;
    unsigned workers;
};

static const char usage[] =
    "Usage: berm prove [OPTION]...\n"
    "       berm prove experiment [NAME] [--json]\n"
    "\n"
    "Run attacks at each level, against canaries and honeypots that berm planted\n"
    "itself, and show what each level stops and what it lets through. The host\n"
    "judges, by what it sees: never the program's own word. An experiment is a small\n"
    "table about one lesson; without NAME they are listed.\n"
    "\n"
    "  --only ID[,ID]...     These attacks; \"others-*\" for all that begin so.\n"
    "  --level L0..L6        This level; more than once for more of them.\n"
    "  --against NAME        The same attacks under another sandbox, beside L0 and\n"
    "                        L6: bwrap, firejail, runc, crun, docker,\n"
    "                        docker-hardened, nspawn, unshare, timeout, or any\n"
    "                        command that runs what follows it. More than once for\n"
    "                        more of them; all for all that have a name.\n"
    "  --json                One JSON document on stdout.\n"
    "  --markdown            A table for a Markdown page.\n"
    "  --html FILE           One self-contained page, beside what is printed.\n"
    "  --list                The attacks, each in a sentence.\n"
    "  --explain ID          One attack: what is tried, what counts as harm, who\n"
    "                        stops it.\n"
    "  --defects             In a build with planted defects: which check catches\n"
    "                        each, and which layer would have hidden it.\n"
    "  --jobs N              Attacks at a time; default 2.\n"
    "\n"
    "Exit status: 0 every attack that a level promises to stop was stopped; 1 one was\n"
    "not, or one could not be tried; 125 nothing was proven.\n";

__attribute__((format(printf, 2, 3))) static int refuse(const char *cure, const char *format, ...)
{
    va_list args;

    va_start(args, format);
    (void)fprintf(stderr, "berm: ");
    (void)vfprintf(stderr, format, args);
    (void)fprintf(stderr, "\n  cure: %s\n", cure);
    va_end(args);
    return -EINVAL;
}

static int take_level(struct prove_options *options, const char *text)
{
    if (text[0] != 'L' || text[1] < '0' || text[1] > '0' + LEVEL_LAST || text[2] != '\0')
        return refuse("a level is L0, L1, ... or L6", "--level %s: there is no such level", text);
    options->levels[text[1] - '0'] = true;
    options->has_levels = true;
    return 0;
}

static int take_only(struct prove_options *options, char *text)
{
    char *word;

    while ((word = strsep(&text, ",")) != NULL) {
        if (options->only_count == sizeof(options->only) / sizeof(options->only[0]))
            return refuse("name fewer, or a part with *", "--only: too many attacks");
        options->only[options->only_count++] = word;
    }
    return 0;
}

static int take_against(struct prove_options *options, const char *text)
{
    bool is_all = strcmp(text, "all") == 0;

    options->is_against_all = options->is_against_all || is_all;

    for (size_t i = 0; is_all && i < prove_peer_count && options->against_count < AGAINST_MAX; i++)
        options->against[options->against_count++] = prove_peers[i].name;
    if (is_all)
        return 0;
    if (options->against_count == AGAINST_MAX)
        return refuse("compare fewer at a time", "--against %s: too many sandboxes", text);
    options->against[options->against_count++] = text;
    return 0;
}

static int take_jobs(struct prove_options *options, const char *text)
{
    char *end = NULL;
    unsigned long number = strtoul(text, &end, 10);

    if (end == text || *end != '\0' || number < 1 || number > 16)
        return refuse("name a number from 1 to 16", "--jobs %s: not a number of attacks at a time",
                      text);
    options->workers = (unsigned)number;
    return 0;
}

static const char options_cure[] = "`berm prove --help` lists the options";

enum option_code {
    OPTION_ONLY = 256,
    OPTION_LEVEL,
    OPTION_AGAINST,
    OPTION_JSON,
    OPTION_MARKDOWN,
    OPTION_HTML,
    OPTION_LIST,
    OPTION_EXPLAIN,
    OPTION_JOBS,
    OPTION_DEFECTS
};

static int take_option(struct prove_options *options, int code)
{
    switch (code) {
    case OPTION_ONLY:
        return take_only(options, optarg);
    case OPTION_LEVEL:
        return take_level(options, optarg);
    case OPTION_AGAINST:
        return take_against(options, optarg);
    case OPTION_JSON:
        options->json = true;
        return 0;
    case OPTION_MARKDOWN:
        options->markdown = true;
        return 0;
    case OPTION_HTML:
        options->html = optarg;
        return 0;
    case OPTION_LIST:
        options->list = true;
        return 0;
    case OPTION_EXPLAIN:
        options->explain = optarg;
        return 0;
    case OPTION_JOBS:
        return take_jobs(options, optarg);
    case OPTION_DEFECTS:
        options->defects = true;
        return 0;
    case 'h':
        options->help = true;
        return 0;
    default:
        return -EINVAL;
    }
}

static int parse(int argc, char **argv, struct prove_options *options)
{
    static const struct option table[] = {
        {"only",     required_argument, NULL, OPTION_ONLY    },
        {"level",    required_argument, NULL, OPTION_LEVEL   },
        {"against",  required_argument, NULL, OPTION_AGAINST },
        {"json",     no_argument,       NULL, OPTION_JSON    },
        {"markdown", no_argument,       NULL, OPTION_MARKDOWN},
        {"html",     required_argument, NULL, OPTION_HTML    },
        {"list",     no_argument,       NULL, OPTION_LIST    },
        {"explain",  required_argument, NULL, OPTION_EXPLAIN },
        {"jobs",     required_argument, NULL, OPTION_JOBS    },
        {"defects",  no_argument,       NULL, OPTION_DEFECTS },
        {"help",     no_argument,       NULL, 'h'            },
        {NULL,       0,                 NULL, 0              },
    };
    int code;
    int r = 0;

    options->workers = WORKERS;
    opterr = 0;
    while (r == 0 && (code = getopt_long(argc, argv, ":h", table, NULL)) != -1) {
        const char *word = argv[optind - 1];
        if (code == '?')
            return refuse(options_cure, "unknown option \"%s\"", word);
        if (code == ':')
            return refuse(options_cure, "%s needs a value", word);
        r = take_option(options, code);
    }
    if (r == 0 && options->json && options->markdown)
        return refuse("leave one out", "--json and --markdown both go to stdout");
    if (r == 0 && optind < argc)
        return refuse(options_cure, "prove takes no word \"%s\"", argv[optind]);
    return r;
}

/* ---- The matrix. ---- */

static bool is_asked_for(const struct prove_options *options, const struct attack *attack)
{
    for (size_t i = 0; i < options->only_count; i++) {
        size_t length = strlen(options->only[i]);
        bool is_part = length > 0 && options->only[i][length - 1] == '*';

        if (is_part ? strncmp(options->only[i], attack->id, length - 1) == 0
                    : strcmp(options->only[i], attack->id) == 0)
            return true;
    }
    return options->only_count == 0;
}

static int add_attacks(const struct prove_options *options, struct matrix *matrix)
{
    const struct attack *attack;

    for (size_t i = 0; (attack = attack_at(i)) != NULL; i++) {
        if (is_asked_for(options, attack))
            matrix->attacks[matrix->attack_count++] = attack;
    }
    for (size_t i = 0; i < options->only_count; i++) {
        if (!strchr(options->only[i], '*') && !attack_find(options->only[i]))
            return refuse("`berm prove --list` lists the attacks",
                          "--only %s: there is no such attack", options->only[i]);
    }
    return matrix->attack_count > 0 ? 0
                                    : refuse("`berm prove --list` lists the attacks",
                                             "--only %s: no attack begins so", options->only[0]);
}

/* Beside other sandboxes stands what berm does by default, unless levels were named. */
static void add_columns(const struct prove_options *options, struct matrix *matrix)
{
    const struct places places = {.berm = prove_programs.berm,
                                  .guest = prove_programs.guest,
                                  .directory = "/tmp/DIR",
                                  .work = "/tmp/WORK",
                                  .result_fd = -1,
                                  .wall_ms = PROVE_WALL_MS};

    for (int level = 0; level <= LEVEL_LAST; level++) {
        /* L0 is the control: without it nothing is learnt of the others. */
        bool is_wanted = level == 0 ||
                         (options->has_levels ? options->levels[level]
                                              : options->against_count == 0 || level == LEVEL_LAST);
        if (is_wanted && matrix->column_count < COLUMNS_MAX)
            column_of_level(level, &matrix->columns[matrix->column_count++]);
    }
    for (size_t i = 0; i < options->against_count && matrix->column_count < COLUMNS_MAX; i++)
        column_of_peer(options->against[i], &places, &matrix->columns[matrix->column_count++]);
    for (size_t i = 0; i < matrix->column_count; i++)
        matrix->columns[i].is_optional = matrix->columns[i].level < 0 && options->is_against_all;
}

static void describe(struct matrix *matrix)
{
    struct utsname name;
    struct tm utc;
    time_t now = time(NULL);

    (void)snprintf(matrix->who, sizeof(matrix->who), "%s",
                   geteuid() == 0 ? "root" : "an ordinary user");
    if (uname(&name) == 0)
        (void)snprintf(matrix->kernel, sizeof(matrix->kernel), "%.20s %.40s %.16s", name.sysname,
                       name.release, name.machine);
    if (gmtime_r(&now, &utc))
        (void)strftime(matrix->began, sizeof(matrix->began), "%Y-%m-%dT%H:%M:%SZ", &utc);
}

static void show_progress(size_t done, size_t all, void *context)
{
    (void)context;
    (void)fprintf(stderr, "\r%zu of %zu runs", done, all);
    if (done == all)
        (void)fprintf(stderr, "\r\033[K");
    (void)fflush(stderr);
}

static unsigned terminal_width(void)
{
    struct winsize size;

    return ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col > 0 ? size.ws_col
                                                                           : WIDTH_DEFAULT;
}

static int print_matrix(const struct prove_options *options, const struct matrix *matrix)
{
    int r;

    if (options->json)
        r = report_json(matrix, stdout);
    else if (options->markdown)
        r = report_markdown(matrix, stdout);
    else
        r = report_text(matrix, terminal_width(), isatty(STDOUT_FILENO) && !getenv("NO_COLOR"),
                        stdout);
    if (r == 0 && fflush(stdout) != 0)
        r = -errno;
    return r;
}

static int write_page(const char *path, const struct matrix *matrix)
{
    FILE *file = fopen(path, "we");

    if (!file)
        return -errno;
    int r = report_html(matrix, file);
    if (fclose(file) != 0 && r == 0)
        r = -errno;
    return r;
}

static int report(const struct prove_options *options, const struct matrix *matrix)
{
    int r = options->html ? write_page(options->html, matrix) : 0;

    if (r < 0) {
        (void)refuse("name a file that can be written", "--html: the page could not be written: %s",
                     strerror(-r));
        return EXIT_REFUSED;
    }
    r = print_matrix(options, matrix);
    if (r < 0) {
        (void)refuse("look at where the output goes", "the matrix could not be written: %s",
                     strerror(-r));
        return EXIT_REFUSED;
    }
    return matrix_is_kept(matrix) ? EXIT_KEPT : EXIT_MISSED;
}

/* The page is begun before the attacks are: a name that cannot be written is told before a minute has passed. */
static int try_page(const char *path)
{
    FILE *file = fopen(path, "ae");

    if (!file)
        return refuse("name a file that can be written", "--html: %s", strerror(errno));
    (void)fclose(file);
    return 0;
}

static int prove_matrix(const struct prove_options *options)
{
    static struct matrix matrix;
    bool is_shown = isatty(STDERR_FILENO) != 0;

    describe(&matrix);
    if (add_attacks(options, &matrix) < 0 || (options->html && try_page(options->html) < 0))
        return EXIT_REFUSED;
    add_columns(options, &matrix);
    matrix.cells = calloc(matrix.attack_count * matrix.column_count, sizeof(*matrix.cells));
    if (!matrix.cells)
        return EXIT_REFUSED;
    int r = matrix_run(&matrix, options->workers, is_shown ? show_progress : NULL, NULL);
    matrix_apply_control(&matrix);
    if (r < 0) {
        if (r == -EINTR)
            (void)refuse("start it again", "stopped by a signal; what was planted is removed");
        else
            (void)refuse(
                "look at /tmp, /dev/shm, the home directory and the limits of this account",
                "the attacks could not be run%s%s: %s",
                matrix.what[0] != '\0' ? ", for want of " : "", matrix.what, strerror(-r));
        free(matrix.cells);
        return EXIT_REFUSED;
    }
    int status = report(options, &matrix);
    free(matrix.cells);
    return status;
}

static int explain(const char *id)
{
    const struct attack *attack = attack_find(id);

    if (!attack) {
        (void)refuse("`berm prove --list` lists the attacks",
                     "--explain %s: there is no such attack", id);
        return EXIT_REFUSED;
    }
    return report_attack(attack, stdout) == 0 ? EXIT_KEPT : EXIT_REFUSED;
}

int main(int argc, char **argv)
{
    struct prove_options options = {0};
    const char *what = NULL;
    static char name[] = "berm prove";

    argv[0] = name; /* what getopt says begins so */
    (void)signal(SIGPIPE, SIG_IGN);
    if (argc > 1 && strcmp(argv[1], "experiment") == 0)
        return experiment_main(argc - 1, argv + 1);
    if (parse(argc, argv, &options) < 0)
        return EXIT_REFUSED;
    if (options.help)
        return fputs(usage, stdout) < 0 || fflush(stdout) != 0 ? EXIT_REFUSED : EXIT_KEPT;
    if (options.list)
        return report_list(stdout) == 0 ? EXIT_KEPT : EXIT_REFUSED;
    if (options.explain)
        return explain(options.explain);
    if (programs_find(&what) < 0) {
        (void)refuse("install berm whole: `meson install`", "%s is not where it was installed",
                     what);
        return EXIT_REFUSED;
    }
    if (options.defects)
        return prove_defects(options.only_count > 0 ? options.only[0] : NULL, options.json);
    return prove_matrix(&options);
}

/*
 * The list of experiments, and running one of them.
 */
#include <errno.h>
#include <jansson.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/error.h"
#include "prove/experiment.h"
#include "prove/experiment_parts.h"
#include "prove/programs.h"
#include "prove/report_parts.h"

#define EXIT_SHOWN     0
#define EXIT_NOT_SHOWN 1
#define EXIT_NONE      125
#define WIDTH          80

static const struct experiment *const experiments[] = {
    &experiment_orphan,    &experiment_nproc_root,         &experiment_cpu_pid1,
    &experiment_head_tail, &experiment_honeypot,           &experiment_hidden_key,
    &experiment_oom_flag,  &experiment_layer_hides_defect,
};

#define COUNT (sizeof(experiments) / sizeof(experiments[0]))

static const char usage[] =
    "Usage: berm prove experiment [NAME] [--json]\n"
    "\n"
    "Without NAME: the experiments, each in a sentence. With it: the runs of that\n"
    "experiment, and a small table of what the host read off them.\n"
    "\n"
    "  --json                One JSON document on stdout.\n"
    "  -h, --help            Print this and do nothing else.\n"
    "\n"
    "Exit status: 0 the table shows what the lesson says; 1 it does not; 125 nothing\n"
    "could be run.\n";

struct asked_for {
    const char *name;
    bool wants_json, wants_help;
};

static int refuse(const char *problem, const char *what, const char *cure)
{
    (void)fprintf(stderr, "berm: prove experiment: %s%s\n  cure: %s\n", problem, what, cure);
    return EXIT_NONE;
}

/* ---- The end before the end. ---- */

static volatile sig_atomic_t is_stopped;

static void stop(int number)
{
    (void)number;
    is_stopped = 1;
}

bool experiment_is_stopped(void)
{
    return is_stopped != 0;
}

/* The run at hand goes on to its own end, and what was planted is removed. */
static void await_signals(void)
{
    struct sigaction action = {.sa_handler = stop, .sa_flags = SA_RESTART};

    (void)sigaction(SIGINT, &action, NULL);
    (void)sigaction(SIGTERM, &action, NULL);
    (void)sigaction(SIGHUP, &action, NULL);
}

/* ---- The list. ---- */

static int list(void)
{
    size_t indent = 0;

    for (size_t i = 0; i < COUNT; i++) {
        size_t length = strlen(experiments[i]->name);
        indent = length > indent ? length : indent;
    }
    for (size_t i = 0; i < COUNT; i++) {
        (void)printf("%-*s  ", (int)indent, experiments[i]->name);
        shown_wrap(stdout, experiments[i]->question, indent + 2, WIDTH);
    }
    return stream_end(stdout) == 0 ? EXIT_SHOWN : EXIT_NONE;
}

static int list_json(void)
{
    json_t *array = json_array();
    int r = 0;

    for (size_t i = 0; i < COUNT; i++)
        r |=
            json_array_append_new(array, json_pack("{s:s, s:s}", "experiment", experiments[i]->name,
                                                   "question", experiments[i]->question));
    if (r == 0)
        r = json_dumpf(array, stdout, JSON_INDENT(2));
    json_decref(array);
    return r == 0 && fputc('\n', stdout) != EOF && stream_end(stdout) == 0 ? EXIT_SHOWN : EXIT_NONE;
}

/* ---- One. ---- */

static const struct experiment *find(const char *name)
{
    for (size_t i = 0; i < COUNT; i++) {
        if (strcmp(experiments[i]->name, name) == 0)
            return experiments[i];
    }
    return NULL;
}

static int print(const struct experiment *experiment, const struct figure_table *table,
                 bool wants_json)
{
    const char *who = geteuid() == 0 ? "root" : "an ordinary user";
    int r = wants_json ? table_print_json(experiment, table, who, stdout)
                       : table_print(experiment, table, stdout);

    if (r < 0)
        return refuse("the table could not be written: ", strerror(-r),
                      "look at where the output goes");
    if (table_is_empty(table))
        return EXIT_NONE;
    return table_shows(table) ? EXIT_SHOWN : EXIT_NOT_SHOWN;
}

static int run(const struct experiment *experiment, bool wants_json)
{
    static struct cell_runner runner; /* large */
    static struct figure_table table;
    const char *what = NULL;

    await_signals();
    int r = cell_runner_begin(&runner, &what);
    if (r == 0) {
        what = "runs";
        r = experiment->run(&runner, &table);
    }
    cell_runner_end(&runner);
    if (experiment_is_stopped())
        return refuse("stopped by a signal", "", "let it end");
    if (r < 0) {
        char problem[160];

        (void)snprintf(problem, sizeof(problem), "%s could not be made: %s", what, strerror(-r));
        return refuse(problem, "", "look at /tmp, and at the limits of this account");
    }
    return print(experiment, &table, wants_json);
}

/* 0, or EXIT_NONE. */
static int parse(int argc, char **argv, struct asked_for *asked)
{
    for (int i = 1; i < argc; i++) {
        const char *word = argv[i];

        if (strcmp(word, "--json") == 0)
            asked->wants_json = true;
        else if (strcmp(word, "--help") == 0 || strcmp(word, "-h") == 0)
            asked->wants_help = true;
        else if (word[0] == '-')
            return refuse("unknown option ", word, "`berm prove experiment --help` lists them");
        else if (asked->name)
            return refuse("one experiment at a time, not also ", word, "name one");
        else
            asked->name = word;
    }
    return 0;
}

int experiment_main(int argc, char **argv)
{
    struct asked_for asked = {0};
    const char *what = NULL;

    if (parse(argc, argv, &asked) != 0)
        return EXIT_NONE;
    if (asked.wants_help)
        return fputs(usage, stdout) < 0 || fflush(stdout) != 0 ? EXIT_NONE : EXIT_SHOWN;
    if (!asked.name)
        return asked.wants_json ? list_json() : list();
    const struct experiment *experiment = find(asked.name);
    if (!experiment)
        return refuse("there is no experiment ", asked.name,
                      "`berm prove experiment` lists the experiments");
    if (programs_find(&what) < 0)
        return refuse(what, " is not where it was installed",
                      "install berm whole: `meson install`");
    return run(experiment, asked.wants_json);
}

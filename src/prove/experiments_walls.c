/*
 * Two walls: the network namespace before a server of the host's, the filesystem layer before a key.
 */
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "prove/experiment_parts.h"
#include "prove/looks.h"

struct wall_case {
    const char *what;
    int level;
    bool is_through; /* by the lesson */
};

enum wall_column {
    COLUMN_SAID,
    COLUMN_HOST
};

/* The number of "ENETUNREACH" and its like in "failed connect: ENETUNREACH after 0 ms"; 0: it worked; negative: it
 * said nothing that can be read. */
static int errno_said(const char *said)
{
    const char *name = strchr(said, ':');

    if (strncmp(said, "worked ", 7) == 0)
        return 0;
    if (strncmp(said, "failed ", 7) != 0 || !name)
        return -EINVAL;
    name += 2;
    for (int number = 1; number < 134; number++) {
        const char *one = strerrorname_np(number);

        if (one && strlen(one) == strcspn(name, " ") && strncmp(one, name, strlen(one)) == 0)
            return number;
    }
    return -EINVAL;
}

static void take_said(const struct trial *trial, const char *worked, struct figure_row *row)
{
    char text[64];
    int number = errno_said(trial->cell.said);

    if (number > 0)
        (void)snprintf(text, sizeof(text), "%d %s", number, strerror(number));
    else
        (void)snprintf(text, sizeof(text), "%s", number == 0 ? worked : "nothing");
    row_text(row, COLUMN_SAID, text);
}

static void run_connection(struct cell_runner *runner, const struct wall_case *one,
                           struct figure_row *row)
{
    static const struct attack attack = {
        .words = {"connect", "tcp", "127.0.0.1", "{tcp-port}"}
    };
    struct trial trial;
    struct trial_plan plan = {.level = one->level, .attack = attack};

    if (!trial_run_for(runner, &plan, &trial, row))
        return;
    unsigned touches = world_touches(&runner->world, HONEYPOT_TCP);
    take_said(&trial, "connected", row);
    row_number(row, COLUMN_HOST, touches);
    row->is_as_said = touches == (one->is_through ? 1 : 0) &&
                      errno_said(trial.cell.said) == (one->is_through ? 0 : ENETUNREACH);
    trial_done(&trial);
}

static int run_honeypot(struct cell_runner *runner, struct figure_table *table)
{
    static const struct wall_case cases[] = {
        {"L3 process", 3, true },
        {"L4 network", 4, false},
    };

    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++)
        run_connection(runner, &cases[i], table_add(table, cases[i].what));
    return 0;
}

const struct experiment experiment_honeypot = {
    .name = "honeypot",
    .question = "can a program reach a server on the host's loopback?",
    .tries =
        "The host listens on 127.0.0.1, and a program connects to it. The honeypot counts who came; "
        "the errno is the program's own word.",
    .lesson = "up to L3 the host's loopback is the program's; from L4 no interface is up, not even "
              "loopback, and a connection fails at once.",
    .rows = "level",
    .columns = {{"said", "the program got", FIGURE_TEXT, false},
                {"connections", "connections at the honeypot", FIGURE_COUNT, false}},
    .run = run_honeypot,
};

static void run_key(struct cell_runner *runner, const struct wall_case *one, struct figure_row *row)
{
    struct trial trial;
    struct trial_plan plan = {
        .level = one->level,
        .attack = {.words = {"dump", "{key-file}"}, .afterwards = look_secret},
    };

    if (!trial_run_for(runner, &plan, &trial, row))
        return;
    take_said(&trial, "the key", row);
    row_number(row, COLUMN_HOST, trial.scene.is_harmed);
    row->is_as_said = trial.scene.is_harmed == one->is_through;
    trial_done(&trial);
}

static int run_hidden_key(struct cell_runner *runner, struct figure_table *table)
{
    static const struct wall_case cases[] = {
        {"L2 env",        2, true },
        {"L4 network",    4, true },
        {"L5 filesystem", 5, false},
        {"L6 hardened",   6, false},
    };

    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++)
        run_key(runner, &cases[i], table_add(table, cases[i].what));
    return 0;
}

const struct experiment experiment_hidden_key = {
    .name = "hidden-key",
    .question = "can a program read a key of the caller's by its full path?",
    .tries =
        "The host plants an SSH key below the caller's home directory, and a program reads it by its "
        "full path. The host looks for the key in the output; the errno is the program's own word.",
    .lesson =
        "neither a clean environment nor a directory of its own helps against a full path: that "
        "takes the filesystem layer, which hides the home at L5 and leaves it out at L6.",
    .rows = "level",
    .columns = {{"said", "the program got", FIGURE_TEXT, false},
                {"key_came_out", "the key is in the output", FIGURE_YES_NO, false}},
    .run = run_hidden_key,
};

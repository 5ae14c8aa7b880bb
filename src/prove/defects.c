/*
 * Which check catches which planted defect, and which layer would have hidden it.
 */
#include "prove/defects.h"

#include <errno.h>
#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "prove/berm_column.h"
#include "prove/matrix.h"
#include "prove/programs.h"

#define LEVEL_LAST   6
#define WORKERS      2
#define EXIT_REFUSED 125

/* What berm reads back before exec would refuse most of them: the check must catch them all the same. */
#define UNSEEN "evidence_not_compared"

/* clang-format off */
static const struct defect defects[] = {
    {"fail_open", "a layer that cannot be had is left out and nothing said", "check-refusal", 4, "", "", 0},
    {"head_only", "of the output only the beginning is kept", "check-last-line", 1, "", "", 0},
    {"capture_unbounded", "berm keeps all output in memory", "check-berms-memory", 1, "", "", 0},
    {"output_uncut", "output is passed on whole where a part was asked for", "flood-stdout", 1, "", "", 0},
    {"wall_unwatched", "nobody looks at the wall clock", "wall-sleep", 1, "", "", 0},
    {"soft_cpu_only", "the CPU-time limit is a signal that can be ignored", "cpu-deaf", 1, "", "", 0},
    {"rlimits_unset", "no resource limit is set", "file-size", 1, "", UNSEEN, 0},
    {"memory_group_unset", "the group's memory limit is not written", "memory-children", 3, "", "", NEEDS_GROUP},
    {"sweep_nothing", "what is left of the session lives on", "background", 1, "", "", 0},
    {"sweep_session_only", "no PID namespace: only the session is swept", "daemon", 3, "limits", "", 0},
    {"kill_child_only", "past its time the program is ended, its children are not", "check-family-left", 1, "", "", 0},
    {"session_kept", "the program stays in the caller's session", "tty-write", 1, "", "", 0},
    {"inherit_env", "the program gets the caller's variables", "env-key", 2, "", "", 0},
    {"work_dir_shared", "the program starts in the caller's directory", "app-overwrite", 2, "", "", 0},
    {"keep_descriptors", "the program gets what the caller left open", "fd-leak", 2, "", "", 0},
    {"keyring_kept", "the program has the caller's kernel keys", "keyring", 2, "", "", 0},
    {"nproc_rlimit_only", "the number of processes is capped by RLIMIT_NPROC, which does not bind root", "fork-many", 3, "", "", NEEDS_ROOT},
    {"pid1_readable", "init shows the caller's variables", "others-environment", 3, "", "", 0},
    {"ipc_shared", "the run shares the host's IPC", "shm-read", 6, "", "", 0},
    {"affinity_unset", "every CPU may be used", "cpus", 6, "", "", 0},
    {"net_joined_late", "no network namespace when the program begins", "loopback-tcp", 4, "", UNSEEN, 0},
    {"hidden_path_writable", "a hidden directory is the host's own", "home-write", 5, "", "", 0},
    {"readonly_top_mount_only", "only the topmost mount of the root is read-only", "check-usr-create", 6, "privileges,syscalls", UNSEEN ",landlock_unset", 0},
    {"landlock_unset", "the second wall around the root is missing", "check-usr-create", 6, "privileges,syscalls", UNSEEN ",readonly_top_mount_only", 0},
    {"caps_effective_only", "capabilities are dropped from one of five sets", "capabilities", 5, "", UNSEEN, 0},
    {"no_new_privs_unset", "a set-user-id program may give rights", "new-privileges", 5, "", UNSEEN, 0},
    {"nesting_allowed", "user namespaces may be made below", "user-namespace", 5, "", UNSEEN, 0},
    {"host_uid_shared", "root's run keeps root's uid on the host", "root-uid", 6, "", "", 0},
    {"filter_unset", "no system-call filter is installed", "no-filter", 6, "", UNSEEN, 0},
    {"filter_native_abi_only", "the filter passes another architecture's calls", "personality-i386", 6, "", "", 0},
    {"filter_low_bits_only", "the filter is right only while high bits are zero", "personality-high", 6, "", "", 0},
    {"verdict_from_137", "exit status 137 is taken for out of memory", "check-own-exit", 1, "", "", 0},
    {"oom_stale", "a control group is used again with its counts", "check-stale-oom", 3, "", "", 0},
    {"evidence_not_compared", "what was read back before exec is not compared with the plan", "capabilities", 5, "", "caps_effective_only", 0},
};
/* clang-format on */

#define DEFECT_COUNT (sizeof(defects) / sizeof(defects[0]))

/* What came of one defect. */
struct finding {
    const struct defect *defect;
    struct cell control, caught; /* without and with the defect, the other layers off */
    struct cell
        alone; /* the defect with nothing planted beside it: does berm's own evidence refuse? */
    struct cell levels[LEVEL_LAST + 1]; /* with all layers of the level on */
    char hidden_by[LEVEL_LAST + 1]
                  [64]; /* at levels that hide it: the layer without which it shows */
};

/* ---- Trials: one attack, a few columns. ---- */

struct trial {
    struct attack attack; /* the check, with what the defect needs beside */
    struct matrix matrix;
    struct cell cells[COLUMNS_MAX];
};

static void trial_begin(struct trial *trial, const struct defect *defect)
{
    memset(trial, 0, sizeof(*trial));
    trial->attack =
        *attack_find(defect->check); /* each check of the table is there: prove/test_defects */
    trial->attack.needs |= defect->needs;
    trial->matrix.attacks[0] = &trial->attack;
    trial->matrix.attack_count = 1;
    trial->matrix.cells = trial->cells;
}

static void add_column(struct trial *trial, int level, const char *off, const char *first,
                       const char *second)
{
    struct column *column = &trial->matrix.columns[trial->matrix.column_count++];

    column_of_level(level, column);
    (void)snprintf(column->off, sizeof(column->off), "%s", off);
    (void)snprintf(column->plant, sizeof(column->plant), "%s%s%s", first,
                   first[0] && second[0] ? "," : "", second);
    if (column->plant[0] == '\0') /* berm-defective, with nothing planted */
        (void)snprintf(column->plant, sizeof(column->plant), ",");
}

/* Control, caught, alone; then each level. */
static int try_defect(const struct defect *defect, struct finding *finding)
{
    static struct trial trial;
    int levels = 0;

    trial_begin(&trial, defect);
    add_column(&trial, defect->level, defect->off, defect->together, "");
    add_column(&trial, defect->level, defect->off, defect->name, defect->together);
    add_column(&trial, defect->level, defect->off, defect->name, "");
    for (int level = defect->level; level <= LEVEL_LAST; level++, levels++)
        add_column(&trial, level, "", defect->name, defect->together);
    int r = matrix_run(&trial.matrix, WORKERS, NULL, NULL);
    finding->defect = defect;
    finding->control = trial.cells[0];
    finding->caught = trial.cells[1];
    finding->alone = trial.cells[2];
    memcpy(&finding->levels[defect->level], &trial.cells[3], (size_t)levels * sizeof(struct cell));
    return r;
}

static bool is_shown(const struct cell *cell)
{
    return cell->state == CELL_HARMED;
}

/* At a level that hides it: which layer must be off for it to show? */
static int find_hider(struct finding *finding, int level)
{
    static struct trial trial;
    enum berm_layer layers[BERM_LAYER_COUNT];
    size_t count = 0;

    trial_begin(&trial, finding->defect);
    for (int layer = BERM_LAYER_LIMITS; layer < BERM_LAYER_COUNT; layer++) {
        layers[count++] = (enum berm_layer)layer;
        add_column(&trial, level, layer_name((enum berm_layer)layer), finding->defect->name,
                   finding->defect->together);
    }
    int r = matrix_run(&trial.matrix, WORKERS, NULL, NULL);
    char *out = finding->hidden_by[level];
    for (size_t i = 0; i < count; i++) {
        size_t used = strlen(out);
        if (is_shown(&trial.cells[i]) && layers[i] != trial.matrix.attacks[0]->layer)
            (void)snprintf(out + used, sizeof(finding->hidden_by[0]) - used, "%s%s",
                           used > 0 ? ", " : "", layer_name(layers[i]));
    }
    return r;
}

static int find_hiders(struct finding *finding)
{
    int r = 0;

    for (int level = finding->defect->level; r == 0 && level <= LEVEL_LAST; level++) {
        if (finding->levels[level].state == CELL_CONTAINED)
            r = find_hider(finding, level);
    }
    return r;
}

/* ---- What it comes to. ---- */

static bool is_applicable(const struct finding *finding)
{
    return finding->control.state != CELL_NOT_APPLICABLE;
}

static bool is_caught(const struct finding *finding)
{
    /* Only the comparison itself has a control that is refused: by the comparison. */
    bool is_of_evidence = strcmp(finding->defect->name, UNSEEN) == 0;
    bool is_clean =
        is_of_evidence ? finding->control.is_refused : finding->control.state == CELL_CONTAINED;

    return is_clean && is_shown(&finding->caught);
}

static const char *level_state(const struct cell *cell)
{
    if (is_shown(cell))
        return "shows";
    if (cell->is_refused)
        return "refused";
    return cell->state == CELL_CONTAINED ? "hidden" : "unknown";
}

static const char *finding_state(const struct finding *finding)
{
    return !is_applicable(finding) ? "not applicable"
           : is_caught(finding)    ? "caught"
                                   : "NOT CAUGHT";
}

/* "L3 process; L6 no single layer" */
static void describe_hidden(const struct finding *finding, char *out, size_t size)
{
    size_t used = 0;

    out[0] = '\0';
    for (int level = finding->defect->level; level <= LEVEL_LAST && used < size; level++) {
        if (finding->levels[level].state != CELL_CONTAINED)
            continue;
        const char *by = finding->hidden_by[level];
        used += (size_t)snprintf(out + used, size - used, "%sL%d by %s", used > 0 ? "; " : "",
                                 level, by[0] != '\0' ? by : "more than one wall");
    }
}

static void print_finding(const struct finding *finding)
{
    const struct defect *defect = finding->defect;
    char hidden[512];

    (void)printf("%-24s %s\n", defect->name, finding_state(finding));
    (void)printf("    breaks     %s\n", defect->breaks);
    if (!is_applicable(finding)) {
        (void)printf("    skipped    %s\n", finding->control.seen);
        return;
    }
    (void)printf("    check      %s at L%d%s%s: %s\n", defect->check, defect->level,
                 defect->off[0] ? " without " : "", defect->off, finding->caught.seen);
    if (finding->alone.is_refused)
        (void)printf("    evidence   %s\n", finding->alone.seen);
    (void)printf("    levels    ");
    for (int level = defect->level; level <= LEVEL_LAST; level++)
        (void)printf(" L%d %s", level, level_state(&finding->levels[level]));
    (void)printf("\n");
    describe_hidden(finding, hidden, sizeof(hidden));
    if (hidden[0] != '\0')
        (void)printf("    hidden     %s\n", hidden);
    if (!is_caught(finding))
        (void)printf("    control    %s\n", finding->control.seen);
}

static json_t *json_of(const struct finding *finding)
{
    const struct defect *defect = finding->defect;
    json_t *levels = json_object();

    for (int level = defect->level; is_applicable(finding) && level <= LEVEL_LAST; level++) {
        char name[16];
        (void)snprintf(name, sizeof(name), "L%d", level);
        (void)json_object_set_new(levels, name,
                                  json_pack("{s:s, s:s}", "state",
                                            level_state(&finding->levels[level]), "hidden_by",
                                            finding->hidden_by[level]));
    }
    return json_pack("{s:s, s:s, s:s, s:i, s:s, s:s, s:s, s:s, s:s, s:b, s:o}", "name",
                     defect->name, "breaks", defect->breaks, "check", defect->check, "level",
                     defect->level, "off", defect->off, "together", defect->together, "state",
                     finding_state(finding), "seen", finding->caught.seen, "control",
                     finding->control.seen, "evidence_refuses", finding->alone.is_refused, "levels",
                     levels);
}

/* Does berm-defective know a defect that no check is named for? Its list has a name and a place a line. */
static int compare_lists(void)
{
    char command[sizeof(prove_programs.defective) + 16];
    char name[128];
    char line[256];
    int missing = 0;

    (void)snprintf(command, sizeof(command), "'%s' --defects", prove_programs.defective);
    FILE *list = popen(command, "re"); /* NOLINT(cert-env33-c): our own path, in quotes */
    while (list && fgets(line, sizeof(line), list)) {
        bool is_known = false;

        if (sscanf(line, "%127s", name) != 1) /* NOLINT(cert-err34-c): a text */
            continue;
        for (size_t i = 0; i < DEFECT_COUNT && !is_known; i++)
            is_known = strcmp(defects[i].name, name) == 0;
        if (!is_known) {
            (void)fprintf(
                stderr, "berm: no check is named for the defect %s (src/prove/defects.c)\n", name);
            missing++;
        }
    }
    return !list || pclose(list) != 0 || missing > 0 ? -ENOENT : 0;
}

int prove_defects(const char *only, bool is_json)
{
    static struct finding findings[DEFECT_COUNT];
    json_t *all = json_array();
    size_t missed = 0;
    size_t tried = 0;

    if (prove_programs.defective[0] == '\0') {
        (void)fprintf(stderr,
                      "berm: this build has no planted defects\n  cure: meson setup build-defects "
                      "-Dplanted_defects=true, and build-defects/berm prove --defects\n");
        return EXIT_REFUSED;
    }
    if (compare_lists() < 0)
        return EXIT_REFUSED;
    for (size_t i = 0; i < DEFECT_COUNT; i++) {
        struct finding *finding = &findings[i];

        if (only && strcmp(only, defects[i].name) != 0)
            continue;
        int r = try_defect(&defects[i], finding);
        if (r == 0 && is_applicable(finding))
            r = find_hiders(finding);
        if (r < 0) {
            (void)fprintf(stderr, "berm: the defect %s could not be tried: %s\n", defects[i].name,
                          strerror(-r));
            return EXIT_REFUSED;
        }
        tried += is_applicable(finding);
        missed += is_applicable(finding) && !is_caught(finding);
        if (is_json)
            (void)json_array_append_new(all, json_of(finding));
        else
            print_finding(finding);
        (void)fflush(stdout);
    }
    if (is_json)
        (void)json_dumpf(json_pack("{s:i, s:o}", "schema", 1, "defects", all), stdout,
                         JSON_INDENT(1));
    else
        (void)printf("\n%zu defects tried, %zu not caught\n", tried, missed);
    return missed > 0 ? 1 : tried == 0 ? EXIT_REFUSED : 0;
}

/*
 * From an attack and a column to a judged cell.
 */
#include "prove/run_cell.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/random.h>
#include <sys/wait.h>
#include <unistd.h>

#include "prove/berm_column.h"
#include "prove/programs.h"

/* The words of the attack, ready for the guest: hold TAG WORD... */
struct guest_words {
    char texts[ATTACK_WORDS_MAX + 2][WORLD_PATH_MAX];
    char *items[ATTACK_WORDS_MAX + 3]; /* NULL-terminated */
};

int cell_runner_begin(struct cell_runner *runner, const char **ret_what)
{
    int r = world_plant(&runner->world, prove_programs.guest, ret_what);

    runner->is_planted = true; /* in part, when it failed: what is there is removed */
    return r;
}

void cell_runner_end(struct cell_runner *runner)
{
    struct places places = {.directory = runner->world.directory,
                            .work = runner->world.work,
                            .guest = runner->world.guest,
                            .result_fd = -1};

    for (size_t i = 0; i < prove_peer_count; i++) {
        if ((runner->prepared & (1u << i)) && prove_peers[i].forget)
            prove_peers[i].forget(&places);
    }
    if (runner->is_planted)
        world_clear(&runner->world);
}

/* Numbers that follow from a limit: three times as long, a quarter more than there is room for. */
static bool expand_limit(const struct scene *scene, const char *word, char *out, size_t size)
{
    if (strcmp(word, "{three-walls}") == 0)
        (void)snprintf(out, size, "%u", 3 * scene->wall_ms);
    else if (strcmp(word, "{burn-ms}") == 0)
        (void)snprintf(out, size, "%u", scene->cpu_ms * 11 / 4);
    else if (strcmp(word, "{files-of-4-mib}") == 0)
        (void)snprintf(out, size, "%u", scene->storage_mib * 5 / 16);
    else
        return false;
    return true;
}

static int fill_words(const struct cell_runner *runner, const struct scene *scene,
                      struct guest_words *words)
{
    const struct attack *attack = scene->attack;
    size_t count = 2;

    (void)snprintf(words->texts[0], sizeof(words->texts[0]), "hold");
    (void)snprintf(words->texts[1], sizeof(words->texts[1]), "%s", scene->tag);
    for (size_t i = 0; i < ATTACK_WORDS_MAX && attack->words[i]; i++, count++) {
        if (expand_limit(scene, attack->words[i], words->texts[count], sizeof(words->texts[count])))
            continue;
        if (world_expand(&runner->world, attack->words[i], words->texts[count],
                         sizeof(words->texts[count])) < 0)
            return -EINVAL;
    }
    for (size_t i = 0; i < count; i++)
        words->items[i] = words->texts[i];
    words->items[count] = NULL;
    return 0;
}

static void note_tried(const struct guest_words *words, struct cell *cell)
{
    size_t used = 0;

    cell->tried[0] = '\0';
    for (size_t i = 2; words->items[i] && used < sizeof(cell->tried); i++)
        used += (size_t)snprintf(cell->tried + used, sizeof(cell->tried) - used, "%s%.200s",
                                 i > 2 ? " " : "", words->items[i]);
}

/* The last line that begins as the guest's own word does. */
static void note_said(const struct scene *scene, struct cell *cell)
{
    static const char *const begins[] = {"worked ", "failed "};
    const char *end = scene->output + scene->output_used;
    const char *found = NULL;

    /* By size and not by NUL: what is dumped of other processes holds some. */
    for (size_t i = 0; i < 2; i++) {
        const char *at = scene->output;
        while ((at = memmem(at, (size_t)(end - at), begins[i], strlen(begins[i]))) != NULL) {
            if ((at == scene->output || at[-1] == '\n') && at > found)
                found = at;
            at++;
        }
    }
    if (!found)
        return;
    /* The word, the attack, the error: what it has found out stays out of reports, which are passed on. */
    size_t length = strcspn(found, "\n:");
    if (strncmp(found, "failed", 6) == 0 && found[length] == ':')
        length += 2 + strcspn(found + length + 2, " \n");
    (void)snprintf(cell->said, sizeof(cell->said), "%.*s", (int)length, found);
}

static void note_failure(const struct scene *scene, struct cell *cell)
{
    int status = scene->wait_status;
    const char *end = scene->complaint + strlen(scene->complaint);
    const char *begin;

    while (end > scene->complaint && end[-1] == '\n')
        end--;
    for (begin = end; begin > scene->complaint && begin[-1] != '\n';)
        begin--;
    (void)snprintf(cell->seen, sizeof(cell->seen), "the attack was not begun: %s %d%s%.*s",
                   WIFEXITED(status) ? "exit status" : "ended by signal",
                   WIFEXITED(status) ? WEXITSTATUS(status) : WTERMSIG(status),
                   end > begin ? ": " : "", (int)(end - begin), begin);
}

/* Begun, and no last word: a limit or a filter ended it, or somebody swallowed what it said. */
static bool is_cut_off(const struct scene *scene, const struct cell *cell)
{
    bool is_silent = cell->said[0] == '\0';

    if (scene->column->level >= 0)
        return is_silent && (cell->verdict[0] == '\0' || strcmp(cell->verdict, "exited") == 0);
    return is_silent && WIFEXITED(scene->wait_status) && WEXITSTATUS(scene->wait_status) == 0;
}

static void judge(const struct scene *scene, struct cell *cell)
{
    bool is_berms = scene->column->level >= 0;
    bool is_run = !is_berms || read_berm_result(scene, cell);
    bool has_worked = strncmp(cell->said, "worked", 6) == 0;

    if (!scene->has_begun && scene->attack->must_refuse && cell->is_refused) {
        cell->state = CELL_CONTAINED;
    } else if (!scene->has_begun) {
        cell->state = CELL_ERROR;
        if (is_run || cell->seen[0] == '\0')
            note_failure(scene, cell);
    } else if (scene->has_hung && !scene->is_harmed) {
        cell->state = CELL_ERROR;
        (void)snprintf(cell->seen, sizeof(cell->seen),
                       "the run did not end, and was ended from outside");
    } else if (scene->attack->while_held && has_worked && !scene->has_held) {
        cell->state = CELL_ERROR;
        (void)snprintf(cell->seen, sizeof(cell->seen),
                       "the host could not look at it while it held still");
    } else if (scene->is_blind && !scene->is_harmed) {
        cell->state = CELL_ERROR;
        (void)snprintf(cell->seen, sizeof(cell->seen), "the host may not look: %.200s",
                       scene->seen);
    } else if (!scene->is_harmed && is_cut_off(scene, cell)) {
        cell->state = CELL_ERROR;
        (void)snprintf(cell->seen, sizeof(cell->seen),
                       "it was begun, and neither came back nor was ended: its output was cut off");
    } else {
        cell->state = scene->is_harmed ? CELL_HARMED : CELL_CONTAINED;
        (void)snprintf(cell->seen, sizeof(cell->seen), "%s",
                       scene->seen[0] != '\0'
                           ? scene->seen
                           : "it did not come to the point at which the host looks");
    }
    cell->is_missed = cell->is_promised && cell->state == CELL_HARMED;
}

/* 0, or -errno with the reason in @missing: the tool cannot be used here. */
static int prepare(struct cell_runner *runner, const struct column *column,
                   const struct places *places, char *missing)
{
    const struct peer *peer = column->level < 0 ? peer_find(column->name) : NULL;
    unsigned bit = peer ? 1u << (unsigned)(peer - prove_peers) : 0;

    if (!peer || !peer->prepare || runner->prepared & bit)
        return 0;
    int r = peer->prepare(places, missing, sizeof(((struct column *)0)->missing));
    if (r == 0)
        runner->prepared |= bit;
    else if (peer->forget)
        peer->forget(places); /* what was made before it failed */
    return r;
}

/* The words of a preset; those of the attack are appended, or were written where the tool looks for them. */
static int wrap_by_peer(const struct peer *peer, const struct places *places,
                        const struct guest_words *guest, struct words *words)
{
    int r = peer->write_words ? peer->write_words(places, guest->items) : 0;

    if (r == 0)
        peer->wrap(places, words);
    for (size_t i = 0; r == 0 && !peer->write_words && guest->items[i]; i++)
        words_add(words, "%s", guest->items[i]);
    return r;
}

/* The whole command line: the wrapper's words, the guest, the attack's. */
static int wrap(const struct scene *scene, const struct places *places,
                const struct guest_words *guest, struct words *words)
{
    const struct column *column = scene->column;
    const struct peer *peer = column->level < 0 ? peer_find(column->name) : NULL;

    if (peer)
        return wrap_by_peer(peer, places, guest, words);
    if (column->level >= 0) {
        wrap_by_berm(scene->attack, scene->world, column, places, words);
    } else {
        int r = words_of_command(column->title, words);
        if (r < 0)
            return r;
        words_add(words, "%s", places->guest);
    }
    for (size_t i = 0; guest->items[i]; i++)
        words_add(words, "%s", guest->items[i]);
    return 0;
}

int cell_runner_play(struct cell_runner *runner, struct scene *scene, char *missing,
                     struct cell *cell)
{
    const struct attack *attack = scene->attack;
    const struct column *column = scene->column;
    struct guest_words guest;
    struct words words = {0};
    int ends[2] = {-1, -1};
    struct places places = {
        .berm = prove_programs.berm,
        .guest = runner->world.guest,
        .directory = runner->world.directory,
        .work = runner->world.work,
        .result_fd = -1,
        .wall_ms = attack->wall_ms ? attack->wall_ms : PROVE_WALL_MS,
        .cpu_ms = attack->cpu_ms,
    };

    if (column->level < 0 && places.wall_ms < PEER_WALL_MIN_MS)
        places.wall_ms = PEER_WALL_MIN_MS;
    if (column->level < 0 && places.cpu_ms > 0 && places.cpu_ms < PEER_WALL_MIN_MS)
        places.cpu_ms = PEER_WALL_MIN_MS;
    scene->cpu_ms = places.cpu_ms;
    scene->wall_ms = places.wall_ms;
    scene->storage_mib = column->level < 0 ? PEER_STORAGE_MIB : PROVE_STORAGE_MIB;
    scene->world = &runner->world;
    (void)snprintf(scene->tag, sizeof(scene->tag), "%.10s-%u", runner->world.name,
                   runner->number++);
    int r = world_mend(&runner->world);
    if (r == 0)
        r = fill_words(runner, scene, &guest);
    if (r == 0)
        note_tried(&guest, cell);
    if (r == 0 && column->level >= 0 && pipe2(ends, O_CLOEXEC) < 0)
        r = -errno;
    if (ends[0] >= 0)
        (void)fcntl(ends[0], F_SETFL, O_NONBLOCK);
    places.result_fd = ends[1];
    if (r == 0)
        r = prepare(runner, column, &places, missing);
    if (r == 0)
        r = wrap(scene, &places, &guest, &words);
    if (r == 0) {
        r = scene_play(scene, words.items, ends[0], ends[1]);
    } else if (ends[0] >= 0) {
        (void)close(ends[0]);
        (void)close(ends[1]);
    }
    cell->took_ms = scene->took_ms;
    if (r == 0)
        note_said(scene, cell);
    words_done(&words);
    return r;
}

static void play(struct cell_runner *runner, const struct attack *attack,
                 const struct column *column, char *missing, struct cell *cell)
{
    struct scene scene = {.attack = attack, .column = column};
    int r = cell_runner_play(runner, &scene, missing, cell);

    if (r == 0) {
        judge(&scene, cell);
    } else {
        cell->state = CELL_ERROR;
        (void)snprintf(cell->seen, sizeof(cell->seen), "the attack could not be started: %s",
                       strerror(-r));
    }
    scene_done(&scene);
}

/* What is run first, under the same column: it prepares, and is not judged. */
static void play_before(struct cell_runner *runner, const struct attack *attack,
                        const struct column *column, char *missing)
{
    struct attack first = *attack;
    struct cell ignored = {0};

    memcpy(first.words, attack->before, sizeof(first.words));
    first.while_held = NULL;
    first.afterwards = NULL;
    play(runner, &first, column, missing, &ignored);
}

/* A busy machine is late by more than any margin: a limit of time is tried a second time before it is called broken, and
 * the cell says so. */
static void play_again(struct cell_runner *runner, const struct attack *attack,
                       const struct column *column, char *missing, struct cell *cell)
{
    bool is_promised = cell->is_promised;
    char seen[sizeof(cell->seen)];

    memset(cell, 0, sizeof(*cell));
    cell->is_promised = is_promised;
    play(runner, attack, column, missing, cell);
    (void)snprintf(seen, sizeof(seen), "at the second try: %.200s", cell->seen);
    (void)snprintf(cell->seen, sizeof(cell->seen), "%s", seen);
}

void cell_runner_run(struct cell_runner *runner, const struct attack *attack,
                     const struct column *column, char *missing, struct cell *cell)
{
    const char *lack = attack_lacks(attack);

    memset(cell, 0, sizeof(*cell));
    cell->is_promised =
        column->level >= 0 ? column->level >= attack->from : peer_claims(column, attack);
    if (missing[0] != '\0')
        return; /* another attack has met it already: the column has no cells */
    if (lack) {
        cell->state = CELL_NOT_APPLICABLE;
        (void)snprintf(cell->seen, sizeof(cell->seen), "%s", lack);
        return;
    }
    if (attack->before[0])
        play_before(runner, attack, column, missing);
    play(runner, attack, column, missing, cell);
    bool is_of_time = attack->topic == TOPIC_TIME || attack->topic == TOPIC_CPU_TIME;
    if (cell->is_missed && is_of_time)
        play_again(runner, attack, column, missing, cell);
}

/*
 * Starting an attack, reading what comes, looking when it holds still, and ending what is left.
 */
#include "prove/scene.h"

#include <errno.h>
#include <fcntl.h>
#include <glob.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/clock.h"

/* A number that a caller might have left open. */
#define LEAKED_FD 9
/* How often the processes of an attack on resources are counted. */
#define LOOK_MS 20
/* A run that takes longer than its limit and this hangs. */
#define PATIENCE_MS 20000
/* How long a daemon has to end by itself after the run. */
#define SURVIVAL_MS 150

enum play_slot {
    SLOT_PROCESS,
    SLOT_OUT,
    SLOT_ERR,
    SLOT_RESULT,
    SLOT_COUNT
};

struct play {
    struct scene *scene;
    pid_t pid;
    int pidfd, input;
    int outputs[SLOT_COUNT]; /* by slot; SLOT_PROCESS unused */
    uint64_t began_ns, word_ns;
    size_t searched; /* of the output */
    bool is_counting;
};

/* ---- The start. ---- */

static void give_terminal(const struct world *world)
{
    /* Opened by a session leader without one, it becomes the controlling terminal (tty_ioctl(4)). */
    int fd = open(world->terminal, O_RDWR | O_CLOEXEC);

    if (fd >= 0)
        (void)ioctl(fd, TIOCSCTTY, 0);
}

static _Noreturn void become_wrapper(const struct scene *scene, char *const *words, int input,
                                     int output, int complaint, int result_fd)
{
    const struct world *world = scene->world;
    char key[96];

    (void)setsid();
    if (scene->attack->needs & GIVES_TERMINAL)
        give_terminal(world);
    if (dup2(input, 0) < 0 || dup2(output, 1) < 0 || dup2(complaint, 2) < 0 ||
        dup2(world->leaked_fd, LEAKED_FD) < 0 || chdir(world->work) < 0)
        _exit(126);
    if (result_fd >= 0)
        (void)fcntl(result_fd, F_SETFD, 0);
    (void)snprintf(key, sizeof(key), "%s", world->secret);
    (void)setenv("BERM_PROVE_API_KEY", key, 1);
    static const int changed[] = {SIGPIPE, SIGINT, SIGTERM, SIGHUP, SIGQUIT};
    for (size_t i = 0; i < sizeof(changed) / sizeof(changed[0]); i++)
        (void)signal(changed[i], SIG_DFL);
    int r = scene->before_exec ? scene->before_exec() : 0;
    if (r < 0) {
        (void)dprintf(2, "cannot be set up here: %s\n", strerror(-r));
        _exit(SCENE_NOT_SET_UP);
    }
    (void)execvp(words[0], words);
    (void)dprintf(2, "cannot execute %s: %s\n", words[0], strerror(errno));
    _exit(127);
}

static int start(struct play *play, char *const *words, int result_write_fd)
{
    int in[2];
    int out[2];
    int err[2];

    if (pipe2(in, O_CLOEXEC) < 0 || pipe2(out, O_CLOEXEC) < 0 || pipe2(err, O_CLOEXEC) < 0)
        return -errno;
    play->began_ns = clock_now_ns();
    play->pid = fork();
    if (play->pid == 0)
        become_wrapper(play->scene, words, in[0], out[1], err[1], result_write_fd);
    int error = errno;
    (void)close(in[0]);
    (void)close(out[1]);
    (void)close(err[1]);
    play->input = in[1];
    play->outputs[SLOT_OUT] = out[0];
    play->outputs[SLOT_ERR] = err[0];
    if (play->pid < 0)
        return -error;
    (void)fcntl(out[0], F_SETFL, O_NONBLOCK);
    (void)fcntl(err[0], F_SETFL, O_NONBLOCK);
    play->pidfd = (int)syscall(SYS_pidfd_open, play->pid, 0);
    return play->pidfd < 0 ? -errno : 0;
}

/* ---- What comes. ---- */

static void keep_output(struct scene *scene, const char *bytes, size_t size)
{
    size_t room = SCENE_OUTPUT_MAX - scene->output_used;

    if (size > room)
        size = room;
    memcpy(scene->output + scene->output_used, bytes, size);
    scene->output_used += size;
    scene->output[scene->output_used] = '\0';
}

static void keep_end(struct scene *scene, const char *bytes, size_t size)
{
    size_t all = sizeof(scene->complaint) - 1;

    if (size > all) {
        bytes += size - all;
        size = all;
    }
    if (scene->complaint_used + size > all) {
        size_t drop = scene->complaint_used + size - all;
        memmove(scene->complaint, scene->complaint + drop, scene->complaint_used - drop);
        scene->complaint_used -= drop;
    }
    memcpy(scene->complaint + scene->complaint_used, bytes, size);
    scene->complaint_used += size;
    scene->complaint[scene->complaint_used] = '\0';
}

static void keep_result(struct scene *scene, const char *bytes, size_t size)
{
    char *result = realloc(scene->result, scene->result_used + size + 1);

    if (!result)
        return; /* no JSON then: the cell has no mechanism to name */
    memcpy(result + scene->result_used, bytes, size);
    scene->result = result;
    scene->result_used += size;
    result[scene->result_used] = '\0';
}

static void read_slot(struct play *play, enum play_slot slot)
{
    static char piece[1 << 17];
    struct scene *scene = play->scene;

    while (play->outputs[slot] >= 0) {
        ssize_t n = read(play->outputs[slot], piece, sizeof(piece));
        if (n < 0)
            return;
        if (n == 0) {
            close_fd(&play->outputs[slot]);
            return;
        }
        if (slot != SLOT_RESULT)
            scene->output_all += (uint64_t)n;
        if (slot == SLOT_OUT)
            keep_output(scene, piece, (size_t)n);
        else if (slot == SLOT_ERR)
            keep_end(scene, piece, (size_t)n);
        else
            keep_result(scene, piece, (size_t)n);
    }
}

/* "began TAG", "holding TAG". */
static bool has_word(struct scene *scene, const char *word)
{
    char line[64];

    (void)snprintf(line, sizeof(line), "%s %s", word, scene->tag);
    return memmem(scene->output, scene->output_used, line, strlen(line)) != NULL;
}

static void release(struct play *play)
{
    if (play->input >= 0)
        (void)!write(play->input, "g", 1); /* gone already is as good */
    close_fd(&play->input);
}

static void look_while_held(struct play *play)
{
    struct scene *scene = play->scene;

    sight_find(&scene->sight, scene->tag);
    sight_count(&scene->sight, &scene->peaks);
    if (scene->sight.count > 0) {
        scene->has_held = true;
        scene->is_harmed =
            scene->attack->while_held(scene, scene->seen, sizeof(scene->seen)) || scene->is_harmed;
    }
    release(play);
}

static void take_words(struct play *play)
{
    struct scene *scene = play->scene;

    if (!scene->has_begun && has_word(scene, "began")) {
        scene->has_begun = true;
        play->word_ns = clock_now_ns();
    }
    if (play->input >= 0 && scene->attack->while_held && has_word(scene, "holding"))
        look_while_held(play);
}

static void count_now(struct play *play)
{
    struct scene *scene = play->scene;

    sight_find(&scene->sight, scene->tag);
    if (scene->sight.count > 0)
        scene->has_begun = true;
    sight_count(&scene->sight, &scene->peaks);
}

/* ---- The loop, and the end. ---- */

static void give_up_on(struct play *play)
{
    play->scene->has_hung = true;
    (void)sight_end(&play->scene->sight, play->scene->tag);
    (void)kill(-play->pid, SIGKILL);
    (void)kill(play->pid, SIGKILL);
}

static bool reap(struct play *play)
{
    struct scene *scene = play->scene;
    struct rusage usage;
    int status = 0;

    if (wait4(play->pid, &status, WNOHANG, &usage) != play->pid)
        return false;
    uint64_t now = clock_now_ns();
    scene->wait_status = status;
    scene->rusage_cpu_ms = (uint64_t)(usage.ru_utime.tv_sec + usage.ru_stime.tv_sec) * 1000 +
                           (uint64_t)(usage.ru_utime.tv_usec + usage.ru_stime.tv_usec) / 1000;
    scene->rusage_rss_kib = (uint64_t)usage.ru_maxrss;
    scene->took_ms = (uint32_t)((now - play->began_ns) / NS_PER_MS);
    scene->ran_ms = play->word_ns ? (uint32_t)((now - play->word_ns) / NS_PER_MS) : scene->took_ms;
    return true;
}

static void watch(struct play *play)
{
    uint64_t patience = play->began_ns + PATIENCE_MS * NS_PER_MS;
    bool is_over = false;

    while (!is_over) {
        struct pollfd slots[SLOT_COUNT];

        slots[SLOT_PROCESS] = (struct pollfd){.fd = play->pidfd, .events = POLLIN};
        for (int i = SLOT_OUT; i < SLOT_COUNT; i++)
            slots[i] = (struct pollfd){.fd = play->outputs[i], .events = POLLIN};
        (void)poll(slots, SLOT_COUNT, play->is_counting ? LOOK_MS : 200);
        for (int i = SLOT_OUT; i < SLOT_COUNT; i++)
            read_slot(play, (enum play_slot)i);
        take_words(play);
        if (play->is_counting)
            count_now(play);
        if (!play->scene->has_hung && clock_now_ns() > patience)
            give_up_on(play);
        if (slots[SLOT_PROCESS].revents != 0)
            is_over = reap(play);
    }
    for (int i = SLOT_OUT; i < SLOT_COUNT; i++)
        read_slot(play, (enum play_slot)i);
    take_words(play);
}

static void look_for_survivors(struct scene *scene)
{
    if (scene->attack->topic == TOPIC_LEFTOVERS)
        (void)nanosleep(&(struct timespec){0, SURVIVAL_MS * (long)NS_PER_MS}, NULL);
    sight_find(&scene->sight, scene->tag);
}

/* A guest that was ended early has not removed what it filled places with; some of it is memory. */
static void remove_fill(const struct scene *scene)
{
    static const char *const places[] = {"/tmp", "/dev/shm", "."};

    for (size_t i = 0; i < sizeof(places) / sizeof(places[0]); i++) {
        const char *place = places[i][0] == '.' ? scene->world->work : places[i];
        char pattern[WORLD_PATH_MAX + 64];
        glob_t found = {0};

        (void)snprintf(pattern, sizeof(pattern), "%s/berm-fill-%s*", place, scene->tag);
        if (glob(pattern, 0, NULL, &found) == 0) {
            for (size_t k = 0; k < found.gl_pathc; k++)
                (void)unlink(found.gl_pathv[k]);
        }
        globfree(&found);
    }
}

int scene_play(struct scene *scene, char *const *words, int result_read_fd, int result_write_fd)
{
    struct play play = {.scene = scene, .pid = -1, .pidfd = -EBADF, .input = -EBADF};
    enum topic topic = scene->attack->topic;

    scene->output = malloc(SCENE_OUTPUT_MAX + 1);
    if (!scene->output)
        return -ENOMEM;
    scene->output[0] = '\0';
    for (int i = 0; i < SLOT_COUNT; i++)
        play.outputs[i] = -EBADF;
    play.outputs[SLOT_RESULT] = result_read_fd;
    play.is_counting = topic == TOPIC_CPU_TIME || topic == TOPIC_MEMORY || topic == TOPIC_PROCESSES;
    int r = start(&play, words, result_write_fd);
    if (result_write_fd >= 0)
        (void)close(result_write_fd); /* the end of the result is seen when berm closes its own */
    if (r == 0) {
        if (!scene->attack->while_held)
            close_fd(&play.input); /* nobody looks: the end of its input lets it go on */
        watch(&play);
        look_for_survivors(scene);
        if (scene->attack->afterwards)
            scene->is_harmed = scene->attack->afterwards(scene, scene->seen, sizeof(scene->seen)) ||
                               scene->is_harmed;
        (void)sight_end(&scene->sight, scene->tag);
        remove_fill(scene);
    }
    for (int i = SLOT_OUT; i < SLOT_COUNT; i++)
        close_fd(&play.outputs[i]);
    close_fd(&play.input);
    close_fd(&play.pidfd);
    return r;
}

void scene_done(struct scene *scene)
{
    free(scene->output);
    free(scene->result);
    scene->output = NULL;
    scene->result = NULL;
}

/*
 * Workers that fill the cells of a matrix.
 *
 * Each worker is a process with a world of its own, so that attacks at the same time do not meet, and takes the next
 * cell that nobody has begun. Cells and columns lie in memory that all share.
 */
#include "prove/matrix.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/clock.h"
#include "prove/programs.h"
#include "prove/run_cell.h"

#define WORKERS_MAX 16

struct shared {
    atomic_size_t next, done;
    atomic_int failed; /* an errno: a worker has given up */
    char what[64];
    char missing[COLUMNS_MAX][sizeof(((struct column *)0)->missing)];
    struct cell cells[];
};

/* What takes long is begun first: at the end all workers finish at about the same time. */
static int weight(const struct attack *attack)
{
    return attack->topic == TOPIC_CPU_TIME ? 2 : attack->topic == TOPIC_TIME ? 1 : 0;
}

struct task {
    size_t row, column;
    int weight;
};

static int compare_tasks(const void *a, const void *b)
{
    const struct task *left = a;
    const struct task *right = b;

    if (left->weight != right->weight)
        return right->weight - left->weight;
    if (left->row != right->row)
        return left->row < right->row ? -1 : 1;
    return left->column < right->column ? -1 : left->column > right->column;
}

static size_t list_tasks(const struct matrix *matrix, struct task *tasks)
{
    size_t count = 0;

    for (size_t row = 0; row < matrix->attack_count; row++) {
        for (size_t column = 0; column < matrix->column_count; column++) {
            if (matrix->columns[column].missing[0] != '\0' ||
                matrix_cell(matrix, row, column)->state != CELL_PENDING)
                continue;
            tasks[count++] = (struct task){row, column, weight(matrix->attacks[row])};
        }
    }
    qsort(tasks, count, sizeof(*tasks), compare_tasks);
    return count;
}

static int work(const struct matrix *matrix, const struct task *tasks, size_t count,
                struct shared *shared)
{
    static struct cell_runner runner; /* large, and one in each worker */
    const char *what = NULL;
    /* Each worker is a host of its own: another one's renaming must not be seen. Where that cannot be had, the
     * attacks of root's are left out. */
    if (geteuid() == 0)
        (void)world_stand_in();
    int r = cell_runner_begin(&runner, &what);

    if (r < 0)
        (void)snprintf(shared->what, sizeof(shared->what), "%s", what ? what : "");
    for (;;) {
        size_t index = r < 0 ? count : atomic_fetch_add(&shared->next, 1);
        if (index >= count)
            break;
        const struct task *task = &tasks[index];
        cell_runner_run(&runner, matrix->attacks[task->row], &matrix->columns[task->column],
                        shared->missing[task->column],
                        &shared->cells[task->row * matrix->column_count + task->column]);
        (void)atomic_fetch_add(&shared->done, 1);
    }
    cell_runner_end(&runner);
    return r;
}

static const int stop_signals[] = {SIGINT, SIGTERM, SIGHUP, SIGQUIT};

static pid_t begin_worker(const struct matrix *matrix, const struct task *tasks, size_t count,
                          struct shared *shared)
{
    pid_t pid = fork();

    if (pid != 0)
        return pid;
    /* The first process tells the workers: they clear their worlds. */
    for (size_t i = 0; i < sizeof(stop_signals) / sizeof(stop_signals[0]); i++)
        (void)signal(stop_signals[i], SIG_IGN);
    int r = work(matrix, tasks, count, shared);
    if (r < 0)
        atomic_store(&shared->failed, -r);
    _exit(r < 0 ? 1 : 0);
}

static volatile sig_atomic_t is_stopped;

static void stop(int number)
{
    (void)number;
    is_stopped = 1;
}

/* Ends when all workers have ended; stopped by a signal, they finish the cell at hand and clear up. */
static int await(const pid_t *pids, unsigned worker_count, size_t count, struct shared *shared,
                 void (*progress)(size_t, size_t, void *), void *context)
{
    unsigned living = worker_count;
    int r = 0;

    while (living > 0) {
        if (is_stopped)
            atomic_store(&shared->next, count);
        (void)poll(NULL, 0, 50);
        if (progress)
            progress(atomic_load(&shared->done), count, context);
        for (unsigned i = 0; i < worker_count; i++) {
            int status = 0;
            if (waitpid(pids[i], &status, WNOHANG) != pids[i])
                continue;
            living--;
            if (!WIFEXITED(status) || WEXITSTATUS(status) != 0)
                r = atomic_load(&shared->failed) > 0 ? -atomic_load(&shared->failed) : -ECHILD;
        }
    }
    return is_stopped ? -EINTR : r;
}

static void take_back(struct matrix *matrix, const struct shared *shared)
{
    for (size_t column = 0; column < matrix->column_count; column++) {
        if (shared->missing[column][0] != '\0')
            (void)snprintf(matrix->columns[column].missing, sizeof(matrix->columns[column].missing),
                           "%s", shared->missing[column]);
    }
    memcpy(matrix->cells, shared->cells,
           matrix->attack_count * matrix->column_count * sizeof(*matrix->cells));
}

int matrix_run(struct matrix *matrix, unsigned worker_count,
               void (*progress)(size_t done, size_t all, void *context), void *context)
{
    size_t cell_count = matrix->attack_count * matrix->column_count;
    size_t size = sizeof(struct shared) + cell_count * sizeof(struct cell);
    struct shared *shared =
        mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    struct task *tasks = calloc(cell_count + 1, sizeof(*tasks));
    struct sigaction action = {.sa_handler = stop};
    pid_t pids[WORKERS_MAX];
    unsigned begun = 0;

    if (shared == MAP_FAILED || !tasks) {
        free(tasks);
        return -ENOMEM;
    }
    memcpy(shared->cells, matrix->cells, cell_count * sizeof(struct cell));
    size_t count = list_tasks(matrix, tasks);
    uint64_t began_ns = clock_now_ns();
    for (size_t i = 0; i < sizeof(stop_signals) / sizeof(stop_signals[0]); i++)
        (void)sigaction(stop_signals[i], &action, NULL);
    while (begun < worker_count && begun < WORKERS_MAX) {
        pids[begun] = begin_worker(matrix, tasks, count, shared);
        if (pids[begun] < 0)
            break;
        begun++;
    }
    int r = begun == 0 ? -EAGAIN : await(pids, begun, count, shared, progress, context);
    matrix->took_ms = (uint32_t)((clock_now_ns() - began_ns) / NS_PER_MS);
    take_back(matrix, shared);
    (void)snprintf(matrix->what, sizeof(matrix->what), "%s", shared->what);
    (void)munmap(shared, size);
    free(tasks);
    return r;
}

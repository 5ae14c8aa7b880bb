/*
 * How long the kernel takes to install a filter: what every run pays (docs/decisions/0003-filter.md).
 *
 *   install-time PROGRAM...    files of raw statements, as `gen-filter bpf` writes them
 *
 * One line a program: statements, then minimum, median and ninth decile of 200 installations in
 * microseconds, each in a child of its own. "allow" is the smallest program there is.
 */
#include <linux/seccomp.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "linux/filter.h"

#define ROUNDS 200

static double now_us(void)
{
    struct timespec now;

    (void)clock_gettime(CLOCK_MONOTONIC, &now); /* cannot fail for this clock */
    return (double)now.tv_sec * 1e6 + (double)now.tv_nsec / 1e3;
}

static void install_and_tell(struct sock_fprog *program, int fd)
{
    double begin;
    double took = -1;

    (void)prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0);
    begin = now_us();
    if (syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, 0, program) == 0)
        took = now_us() - begin;
    _exit(write(fd, &took, sizeof(took)) == sizeof(took) ? 0 : 1);
}

/* Negative when it could not be installed. */
static double install(struct sock_fprog *program)
{
    int ends[2];
    double took = -1;
    pid_t pid;

    if (pipe(ends) != 0)
        return -1;
    pid = fork();
    if (pid == 0)
        install_and_tell(program, ends[1]);
    (void)close(ends[1]);
    if (read(ends[0], &took, sizeof(took)) != sizeof(took))
        took = -1;
    (void)close(ends[0]);
    (void)waitpid(pid, NULL, 0);
    return took;
}

static int compare(const void *a, const void *b)
{
    double x = *(const double *)a;
    double y = *(const double *)b;

    return (x > y) - (x < y);
}

static int measure(const char *name, struct sock_filter *statements, size_t count)
{
    struct sock_fprog program = {.len = (unsigned short)count, .filter = statements};
    double times[ROUNDS];

    for (int i = 0; i < ROUNDS; i++) {
        times[i] = install(&program);
        if (times[i] < 0) {
            (void)fprintf(stderr, "install-time: %s: the kernel refuses it\n", name);
            return 1;
        }
    }
    qsort(times, ROUNDS, sizeof(times[0]), compare);
    (void)printf("%-40s %5zu statements %7.1f %7.1f %7.1f us\n", name, count, times[0],
                 times[ROUNDS / 2], times[ROUNDS * 9 / 10]);
    return 0;
}

int main(int argc, char **argv)
{
    static struct sock_filter statements[BPF_MAXINSNS];
    struct sock_filter allow = {BPF_RET | BPF_K, 0, 0, SECCOMP_RET_ALLOW};
    int failures = measure("allow", &allow, 1);

    for (int i = 1; i < argc; i++) {
        FILE *file = fopen(argv[i], "re");
        size_t count = file ? fread(statements, sizeof(statements[0]), BPF_MAXINSNS, file) : 0;

        if (file)
            (void)fclose(file); /* only read */
        failures += measure(argv[i], statements, count);
    }
    return failures == 0 ? 0 : 1;
}

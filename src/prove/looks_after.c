/*
 * Looks after the end of a run: at the output, the honeypots, the victim, the files.
 */
#include <arpa/inet.h>
#include <ctype.h>
#include <fcntl.h>
#include <glob.h>
#include <ifaddrs.h>
#include <netinet/in.h>
#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/klog.h>
#include <sys/resource.h>
#include <sys/sem.h>
#include <sys/stat.h>
#include <termios.h>
#include <time.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "linux/file.h"
#include "prove/looks.h"
#include "prove/scene.h"

#define SAY(...) (void)snprintf(seen, size, __VA_ARGS__)
/* Of 10 ms each. */
#define VICTIM_LOOKS 20

static bool output_has(const struct scene *scene, const char *text)
{
    return memmem(scene->output, scene->output_used, text, strlen(text)) != NULL;
}

bool look_secret(struct scene *scene, char *seen, size_t size)
{
    bool is_there = output_has(scene, scene->world->secret);

    SAY(is_there ? "the canary is in its output" : "the canary is not in its output");
    return is_there;
}

bool look_honeypot(struct scene *scene, char *seen, size_t size)
{
    unsigned touches = world_touches(scene->world, (enum honeypot)scene->attack->detail);

    if (touches > 0)
        SAY("the honeypot was reached, %u times", touches);
    else
        SAY("the honeypot got nothing");
    return touches > 0;
}

bool look_drop(struct scene *scene, char *seen, size_t size)
{
    enum drop which = (enum drop)scene->attack->detail;
    bool is_there = world_take_drop(scene->world, which);

    SAY(is_there ? "it is on the host: %s" : "there is no %s on the host",
        scene->world->drops[which]);
    return is_there;
}

bool look_app(struct scene *scene, char *seen, size_t size)
{
    bool is_changed = world_take_app_change(scene->world);

    SAY(is_changed ? "the caller's app.py was overwritten" : "the caller's app.py is as it was");
    return is_changed;
}

bool look_outlasted(struct scene *scene, char *seen, size_t size)
{
    unsigned limit = scene->wall_ms;

    SAY("it ran for %u ms, the limit was %u ms", scene->ran_ms, limit);
    if (scene->sight.count == 0)
        return scene->ran_ms >= 2 * limit;
    SAY("%zu of its processes went on after the limit of %u ms", scene->sight.count, limit);
    return true;
}

bool look_cpu(struct scene *scene, char *seen, size_t size)
{
    uint64_t used =
        scene->peaks.cpu_ms > scene->rusage_cpu_ms ? scene->peaks.cpu_ms : scene->rusage_cpu_ms;

    SAY("it used %llu ms of CPU time, the limit was %u ms", (unsigned long long)used,
        scene->cpu_ms);
    return used >= 2ULL * scene->cpu_ms;
}

bool look_output(struct scene *scene, char *seen, size_t size)
{
    SAY("the caller was given %llu bytes", (unsigned long long)scene->output_all);
    return scene->output_all > (uint64_t)scene->attack->detail;
}

bool look_survivors(struct scene *scene, char *seen, size_t size)
{
    if (scene->sight.count > 0)
        SAY("%zu of its processes went on after the run, PID %d", scene->sight.count,
            (int)scene->sight.pids[0]);
    else
        SAY("nothing of it went on after the run");
    return scene->sight.count > 0;
}

/* ---- The victim. ---- */

static char victim_state(pid_t pid)
{
    char state[32] = "X";

    (void)sight_status(pid, "State", state, sizeof(state));
    return state[0];
}

static uint64_t victim_limit(pid_t pid)
{
    struct rlimit limit = {0};

    return prlimit(pid, RLIMIT_NOFILE, NULL, &limit) == 0 ? limit.rlim_cur : 0;
}

static int victim_nice(pid_t pid)
{
    int64_t nice = 0;

    (void)sight_stat(pid, 19, &nice);
    return (int)nice;
}

bool look_victim(struct scene *scene, char *seen, size_t size)
{
    const struct world *world = scene->world;
    pid_t pid = world->victim.pid;
    enum victim_harm harm = (enum victim_harm)scene->attack->detail;
    char state = victim_state(pid);

    /* A signal that was sent is acted on when the victim is next scheduled: on a busy machine not at once. */
    bool is_by_signal = harm == VICTIM_ENDED || harm == VICTIM_STOPPED;
    for (int i = 0; is_by_signal && i < VICTIM_LOOKS && !strchr("ZXTt", state); i++) {
        (void)nanosleep(&(struct timespec){0, 10000000}, NULL);
        state = victim_state(pid);
    }
    switch (harm) {
    case VICTIM_ENDED:
        SAY(strchr("ZX", state) ? "another process of the caller's was ended"
                                : "the other process lives");
        return strchr("ZX", state) != NULL;
    case VICTIM_STOPPED:
        SAY(strchr("Tt", state) ? "another process of the caller's was stopped"
                                : "the other process goes on");
        return strchr("Tt", state) != NULL;
    case VICTIM_WRITTEN:
        SAY(world_victim_has_secret(world) ? "the memory of the other process is as it was"
                                           : "the memory of another process was overwritten");
        return !world_victim_has_secret(world);
    case VICTIM_LIMITED:
        SAY("the other process may open %llu files", (unsigned long long)victim_limit(pid));
        return victim_limit(pid) <= 16;
    case VICTIM_NICED:
        SAY("the other process has nice value %d", victim_nice(pid));
        return victim_nice(pid) > getpriority(PRIO_PROCESS, 0);
    }
    return false;
}

/* ---- The terminal. ---- */

bool look_terminal_output(struct scene *scene, char *seen, size_t size)
{
    char text[512] = "";
    ssize_t n = read(scene->world->terminal_fd, text, sizeof(text) - 1);
    bool is_there =
        n > 0 && memmem(text, (size_t)n, scene->world->name, strlen(scene->world->name));

    SAY(is_there ? "its words stand on the caller's terminal"
                 : "nothing was written to the caller's terminal");
    return is_there;
}

/* What waits to be read by whoever reads the terminal next: the caller's shell. */
bool look_terminal_input(struct scene *scene, char *seen, size_t size)
{
    AUTO_FD int fd = open(scene->world->terminal, O_RDWR | O_NOCTTY | O_CLOEXEC | O_NONBLOCK);
    struct termios raw;
    int waiting = 0;

    if (fd >= 0 && tcgetattr(fd, &raw) == 0) {
        struct termios cooked = raw;
        cfmakeraw(&raw); /* in lines only whole ones would count */
        (void)tcsetattr(fd, TCSANOW, &raw);
        (void)ioctl(fd, FIONREAD, &waiting);
        (void)tcsetattr(fd, TCSANOW, &cooked);
        (void)tcflush(fd, TCIOFLUSH);
    }
    SAY("%d characters wait as if the caller had typed them", waiting);
    return waiting > 0;
}

/* ---- What is shared. ---- */

bool look_semaphore(struct scene *scene, char *seen, size_t size)
{
    int value = semctl(scene->world->sem_id, 0, GETVAL);

    SAY("the host's semaphore is %d; it was 0", value);
    return value > 0;
}

bool look_host_name_changed(struct scene *scene, char *seen, size_t size)
{
    char name[128] = "";

    (void)gethostname(name, sizeof(name) - 1);
    SAY("the host is called %s; it was %s", name, scene->world->host_name);
    return strcmp(name, scene->world->host_name) != 0;
}

bool look_host_name_said(struct scene *scene, char *seen, size_t size)
{
    char line[160];

    /* The whole word: a host may be called as a part of it. L6's own name is berm: such a host cannot be told. */
    (void)snprintf(line, sizeof(line), "host-name: %s\n", scene->world->host_name);
    scene->is_blind = strcmp(scene->world->host_name, "berm") == 0;
    bool is_there = !scene->is_blind && output_has(scene, line);

    SAY(is_there ? "the host's name is in its output" : "the host's name is not in its output");
    return is_there;
}

bool look_core(struct scene *scene, char *seen, size_t size)
{
    char pattern[WORLD_PATH_MAX + 8];
    glob_t found = {0};

    (void)snprintf(pattern, sizeof(pattern), "%s/core*", scene->world->work);
    bool is_there = glob(pattern, 0, NULL, &found) == 0 && found.gl_pathc > 0;
    for (size_t i = 0; is_there && i < found.gl_pathc; i++)
        (void)unlink(found.gl_pathv[i]);
    globfree(&found);
    SAY(is_there ? "a core dump lies in the caller's directory" : "no core dump was left");
    return is_there;
}

/* A line of a file that only the host has: its first one, read by the host itself, and never shown. */
bool look_host_line(struct scene *scene, char *seen, size_t size)
{
    const char *path = scene->attack->words[1];
    char line[512] = "";
    AUTO_FD int fd = open(path, O_RDONLY | O_CLOEXEC);
    ssize_t n = fd < 0 ? -1 : read(fd, line, sizeof(line) - 1);

    line[n > 0 ? n : 0] = '\0';
    /* Where the kernel hides its addresses from the host too, they are zeros, and say nothing. */
    char *at = line;
    while (strncmp(at, "0000000000000000", 16) == 0 && strchr(at, '\n'))
        at = strchr(at, '\n') + 1;
    at[strcspn(at, "\n")] = '\0';
    scene->is_blind = at[0] == '\0';
    bool is_there = !scene->is_blind && output_has(scene, at);
    SAY(is_there ? "a line of the host's %s is in its output"
                 : "nothing of the host's %s is in its output",
        path);
    return is_there;
}

bool look_host_address(struct scene *scene, char *seen, size_t size)
{
    struct ifaddrs *list = NULL;
    bool is_there = false;

    SAY("no address of the host's interfaces is in its output");
    (void)getifaddrs(&list);
    for (const struct ifaddrs *a = list; a && !is_there; a = a->ifa_next) {
        char text[INET_ADDRSTRLEN] = "";
        char quoted[INET_ADDRSTRLEN + 2];

        if (!a->ifa_addr || a->ifa_addr->sa_family != AF_INET)
            continue;
        const struct sockaddr_in *in = (const void *)a->ifa_addr;
        if (ntohl(in->sin_addr.s_addr) >> 24 == IN_LOOPBACKNET)
            continue; /* every network namespace has that one */
        (void)inet_ntop(AF_INET, &in->sin_addr, text, sizeof(text));
        (void)snprintf(quoted, sizeof(quoted), "[%s]", text);
        is_there = output_has(scene, quoted);
        if (is_there)
            SAY("the host's address %s is in its output", text);
    }
    freeifaddrs(list);
    return is_there;
}

/* Any line of the kernel's log that the host can read too. */
bool look_kernel_log(struct scene *scene, char *seen, size_t size)
{
    static char text[1 << 18];
    int n = klogctl(3, text, sizeof(text) - 1); /* SYSLOG_ACTION_READ_ALL, the last so many bytes */
    bool is_there = false;

    text[n > 0 ? n : 0] = '\0';
    const char *line = strchr(text, '\n'); /* the first one may be cut */
    for (int i = 0; line && i < 200 && !is_there; i++) {
        char one[160];
        (void)snprintf(one, sizeof(one), "%.*s", (int)strcspn(line + 1, "\n"), line + 1);
        is_there = strlen(one) > 20 && output_has(scene, one);
        line = strchr(line + 1, '\n');
    }
    SAY(is_there ? "lines of the kernel's log are in its output"
                 : "nothing of the kernel's log is in its output");
    return is_there;
}

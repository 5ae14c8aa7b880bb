/*
 * An inherited task clock.
 */
#include "linux/perf.h"

#include <errno.h>
#include <linux/perf_event.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

int perf_clock_open(pid_t pid)
{
    struct perf_event_attr attributes;

    memset(&attributes, 0, sizeof(attributes));
    attributes.type = PERF_TYPE_SOFTWARE;
    attributes.size = sizeof(attributes);
    attributes.config = PERF_COUNT_SW_TASK_CLOCK;
    attributes.inherit = 1;
    /* Allowed to ordinary users up to perf_event_paranoid 2; a task clock counts kernel time all the same,
     * since the clock has no mode (kernel/events/core.c, task_clock_event_read). */
    attributes.exclude_kernel = 1;
    attributes.exclude_hv = 1;
    long fd = syscall(SYS_perf_event_open, &attributes, pid, -1, -1, PERF_FLAG_FD_CLOEXEC);
    return fd < 0 ? -errno : (int)fd;
}

uint64_t perf_clock_ns(int fd)
{
    uint64_t value = 0;

    return read(fd, &value, sizeof(value)) == (ssize_t)sizeof(value) ? value : UINT64_MAX;
}

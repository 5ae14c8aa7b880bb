/*
 * CPU time of a whole tree without a control group: an inherited task clock (perf_event_open(2)).
 */
#ifndef BERM_LINUX_PERF_H
#define BERM_LINUX_PERF_H

#include <stdint.h>
#include <sys/types.h>

/* A task clock that every descendant of @pid inherits. Returns an owned descriptor or -errno (EACCES: see
 * kernel.perf_event_paranoid). */
int perf_clock_open(pid_t pid);

/* Nanoseconds so far, ended descendants included; UINT64_MAX when it cannot be read. */
uint64_t perf_clock_ns(int fd);

#endif

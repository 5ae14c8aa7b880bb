/*
 * The clock of everything in berm: CLOCK_MONOTONIC, in nanoseconds (settled.md, "Limits").
 */
#ifndef BERM_BASE_CLOCK_H
#define BERM_BASE_CLOCK_H

#include <stdint.h>
#include <time.h>

#define NS_PER_S  1000000000ULL
#define NS_PER_MS 1000000ULL

/* A time that is not before the clock's beginning. */
static inline uint64_t clock_ns_of(const struct timespec *time)
{
    return (uint64_t)time->tv_sec * NS_PER_S + (uint64_t)time->tv_nsec;
}

static inline uint64_t clock_now_ns(void)
{
    struct timespec now = {0, 0};

    (void)clock_gettime(CLOCK_MONOTONIC, &now); /* cannot fail for this clock (clock_gettime(2)) */
    return clock_ns_of(&now);
}

#endif

/*
 * The clock of everything in berm: CLOCK_MONOTONIC, in nanoseconds (settled.md, "Limits").
 */
#ifndef BERM_BASE_CLOCK_H
#define BERM_BASE_CLOCK_H

#include <stdint.h>
#include <time.h>

#define NS_PER_S  1000000000ULL
#define NS_PER_MS 1000000ULL

static inline uint64_t clock_now_ns(void)
{
    struct timespec now = {0, 0};

    (void)clock_gettime(CLOCK_MONOTONIC, &now); /* cannot fail for this clock (clock_gettime(2)) */
    return (uint64_t)now.tv_sec * NS_PER_S + (uint64_t)now.tv_nsec;
}

#endif

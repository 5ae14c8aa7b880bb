/*
 * Numbers with units, as people write them: durations, sizes, counts, CPUs.
 *
 * In: texts of flags, files and requests. Out: integers in the smallest unit, and texts that read back
 * to the same integer. Must never: use floating point, the locale or the heap; accept a number whose
 * unit would have to be guessed; round.
 *
 * At most six digits may follow the point (three for CPUs).
 */
#ifndef BERM_BASE_UNITS_H
#define BERM_BASE_UNITS_H

#include <stddef.h>
#include <stdint.h>

#include <berm/berm.h>

/* Room for any text that units_format_*() writes. */
#define UNITS_TEXT_SIZE 32

/**
 * Read a duration: a number with h, m, s, ms, us or ns. "1.5s", "500ms".
 *
 * @text    borrows.
 * @ret_ns  nanoseconds. Untouched on failure.
 * @err     may be NULL.
 * Returns 0, or -EINVAL with @err filled (what was read, what is accepted).
 * Threads: yes.  Async-signal-safe: no.  Since: 0.1.
 * Source: —.  Test: unit/base/units.
 */
int units_parse_duration(const char *text, uint64_t *ret_ns, struct berm_error *err);

/* A size: a number with B, KiB, MiB, GiB or TiB; KB, MB, GB and TB mean the same (settled: MB is MiB). */
int units_parse_size(const char *text, uint64_t *ret_bytes, struct berm_error *err);

/* A whole number without a unit. */
int units_parse_count(const char *text, uint64_t *ret_count, struct berm_error *err);

/* CPUs: a number without a unit; "1.5" gives 1500. */
int units_parse_cpus(const char *text, uint64_t *ret_thousandths, struct berm_error *err);

/**
 * Write a value in the largest unit in which it is a whole number: "1500ms", "64MiB".
 *
 * @ret_text  receives at most @size bytes, always ended; UNITS_TEXT_SIZE is enough.
 * The text reads back to the same value.
 * Threads: yes.  Async-signal-safe: no.  Since: 0.1.
 * Source: —.  Test: unit/base/units.
 */
void units_format_duration(uint64_t ns, char *ret_text, size_t size);
void units_format_size(uint64_t bytes, char *ret_text, size_t size);
void units_format_count(uint64_t count, char *ret_text, size_t size);
void units_format_cpus(uint64_t thousandths, char *ret_text, size_t size);

#endif

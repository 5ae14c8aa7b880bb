/*
 * Numbers with units. Owns the tables of units; integers only.
 */
#include "base/units.h"

#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "base/error.h"
#include "base/quote.h"

/*
 * 10^6 - 1 times the largest factor (an hour in ns, 3.6e12) still fits 64 bits: with six digits the
 * fraction can be scaled without overflow.
 */
#define FRACTION_DIGITS_MAX 6

struct unit {
    const char *name;
    uint64_t factor;
};

/* One kind of number: its units, largest first, and how an error speaks of it. */
struct form {
    const char *rule;
    const char *cure;
    const char *grain; /* what the integer counts */
    const struct unit *units;
    size_t unit_count;
    uint64_t scale; /* of a form without units */
};

struct number {
    uint64_t whole;
    uint64_t fraction, fraction_scale; /* fraction / fraction_scale */
    bool is_overflow, is_too_fine;
    const char *rest;
};

static const struct unit duration_units[] = {
    {"h",  3600000000000ULL},
    {"m",  60000000000ULL  },
    {"s",  1000000000ULL   },
    {"ms", 1000000ULL      },
    {"us", 1000ULL         },
    {"ns", 1ULL            },
};

/* The 1024-based names come first of each pair: they are the ones that are printed. */
static const struct unit size_units[] = {
    {"TiB", 1ULL << 40},
    {"TB",  1ULL << 40},
    {"GiB", 1ULL << 30},
    {"GB",  1ULL << 30},
    {"MiB", 1ULL << 20},
    {"MB",  1ULL << 20},
    {"KiB", 1ULL << 10},
    {"KB",  1ULL << 10},
    {"B",   1ULL      },
};

static const struct form duration_form = {
    .rule = "a duration is a number with h, m, s, ms, us or ns",
    .cure = "write it as in 1.5s, 500ms or 2m",
    .grain = "a nanosecond",
    .units = duration_units,
    .unit_count = sizeof(duration_units) / sizeof(duration_units[0]),
};

static const struct form size_form = {
    .rule = "a size is a number with B, KiB, MiB, GiB or TiB",
    .cure = "write it as in 512MiB, 64KiB or 1GiB",
    .grain = "a byte",
    .units = size_units,
    .unit_count = sizeof(size_units) / sizeof(size_units[0]),
};

static const struct form count_form = {
    .rule = "a count is a whole number without a unit",
    .cure = "write it as in 128",
    .grain = "one",
    .scale = 1,
};

static const struct form cpus_form = {
    .rule = "CPUs are a number without a unit, with at most three digits after the point",
    .cure = "write it as in 2 or 1.5",
    .grain = "a thousandth",
    .scale = 1000,
};

/* Not isdigit(): that one asks the locale. */
static bool is_digit(char c)
{
    return c >= '0' && c <= '9';
}

static const char *read_whole(const char *at, struct number *number)
{
    for (; is_digit(*at); at++) {
        uint64_t digit = (uint64_t)(*at - '0');
        if (__builtin_mul_overflow(number->whole, 10, &number->whole) ||
            __builtin_add_overflow(number->whole, digit, &number->whole))
            number->is_overflow = true;
    }
    return at;
}

static const char *read_fraction(const char *at, struct number *number)
{
    unsigned count = 0;

    for (; is_digit(*at); at++) {
        if (++count > FRACTION_DIGITS_MAX) {
            number->is_too_fine = true;
            continue;
        }
        number->fraction = number->fraction * 10 + (uint64_t)(*at - '0');
        number->fraction_scale *= 10;
    }
    return at;
}

/* DIGITS or DIGITS.DIGITS; false when the text does not begin so. */
static bool read_number(const char *text, struct number *ret_number)
{
    *ret_number = (struct number){.fraction_scale = 1};
    if (!is_digit(*text))
        return false;
    const char *at = read_whole(text, ret_number);
    if (at[0] == '.') {
        if (!is_digit(at[1]))
            return false;
        at = read_fraction(at + 1, ret_number);
    }
    ret_number->rest = at;
    return true;
}

static int refuse(const struct form *form, const char *text, const char *why,
                  struct berm_error *err)
{
    struct quoted quoted;
    return error_set(err, BERM_E_INVALID, BERM_LAYER_NONE, 0, form->cure, "%s %s: %s",
                     quote_text(&quoted, text), why, form->rule);
}

static int refuse_unit(const struct form *form, const char *text, const char *rest,
                       struct berm_error *err)
{
    struct quoted whole;
    struct quoted unit;

    if (form->unit_count == 0)
        return error_set(err, BERM_E_INVALID, BERM_LAYER_NONE, 0, form->cure,
                         "%s goes on with %s after the number: %s", quote_text(&whole, text),
                         quote_text(&unit, rest), form->rule);
    if (!*rest)
        return refuse(form, text, "has no unit", err);
    return error_set(err, BERM_E_INVALID, BERM_LAYER_NONE, 0, form->cure,
                     "%s has the unknown unit %s: %s", quote_text(&whole, text),
                     quote_text(&unit, rest), form->rule);
}

/* The factor of what stands after the number; 0 when that is no unit of this form. */
static uint64_t find_factor(const struct form *form, const char *rest)
{
    if (form->unit_count == 0)
        return *rest ? 0 : form->scale;
    for (size_t i = 0; i < form->unit_count; i++)
        if (strcmp(form->units[i].name, rest) == 0)
            return form->units[i].factor;
    return 0;
}

static int refuse_fine(const struct form *form, const char *text, struct berm_error *err)
{
    struct quoted quoted;
    return error_set(err, BERM_E_INVALID, BERM_LAYER_NONE, 0, form->cure,
                     "%s is finer than %s or has over %d digits after the point: %s",
                     quote_text(&quoted, text), form->grain, FRACTION_DIGITS_MAX, form->rule);
}

static int parse(const struct form *form, const char *text, uint64_t *ret_value,
                 struct berm_error *err)
{
    struct number number;
    uint64_t value = 0;

    if (!*text)
        return refuse(form, text, "is empty", err);
    if (*text == '-')
        return refuse(form, text, "is negative", err);
    if (!read_number(text, &number))
        return refuse(form, text, "is not a number", err);
    uint64_t factor = find_factor(form, number.rest);
    if (factor == 0)
        return refuse_unit(form, text, number.rest, err);
    if (number.is_overflow || __builtin_mul_overflow(number.whole, factor, &value))
        return refuse(form, text, "is too large", err);
    uint64_t scaled = number.fraction * factor;
    if (number.is_too_fine || scaled % number.fraction_scale != 0)
        return refuse_fine(form, text, err);
    if (__builtin_add_overflow(value, scaled / number.fraction_scale, &value))
        return refuse(form, text, "is too large", err);
    *ret_value = value;
    return 0;
}

int units_parse_duration(const char *text, uint64_t *ret_ns, struct berm_error *err)
{
    return parse(&duration_form, text, ret_ns, err);
}

int units_parse_size(const char *text, uint64_t *ret_bytes, struct berm_error *err)
{
    return parse(&size_form, text, ret_bytes, err);
}

int units_parse_count(const char *text, uint64_t *ret_count, struct berm_error *err)
{
    /* "128.0" is a whole number to a reader of numbers, and a slip to a reader of counts. */
    if (strchr(text, '.'))
        return refuse(&count_form, text, "has a point", err);
    return parse(&count_form, text, ret_count, err);
}

int units_parse_cpus(const char *text, uint64_t *ret_thousandths, struct berm_error *err)
{
    return parse(&cpus_form, text, ret_thousandths, err);
}

static void format(const struct form *form, uint64_t value, char *ret_text, size_t size)
{
    const struct unit *unit = &form->units[form->unit_count - 1];

    for (size_t i = 0; i < form->unit_count && value != 0; i++) {
        if (value % form->units[i].factor == 0) {
            unit = &form->units[i];
            break;
        }
    }
    (void)snprintf(ret_text, size, "%" PRIu64 "%s", value / unit->factor, unit->name);
}

void units_format_duration(uint64_t ns, char *ret_text, size_t size)
{
    format(&duration_form, ns, ret_text, size);
}

void units_format_size(uint64_t bytes, char *ret_text, size_t size)
{
    format(&size_form, bytes, ret_text, size);
}

void units_format_count(uint64_t count, char *ret_text, size_t size)
{
    (void)snprintf(ret_text, size, "%" PRIu64, count);
}

void units_format_cpus(uint64_t thousandths, char *ret_text, size_t size)
{
    uint64_t fraction = thousandths % 1000;
    int digits = 3;

    if (fraction == 0) {
        units_format_count(thousandths / 1000, ret_text, size);
        return;
    }
    for (; fraction % 10 == 0; fraction /= 10)
        digits--;
    (void)snprintf(ret_text, size, "%" PRIu64 ".%0*" PRIu64, thousandths / 1000, digits, fraction);
}

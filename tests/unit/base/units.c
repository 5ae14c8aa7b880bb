/*
 * Claims about base/units.h.
 */
/* cmocka.h needs the three before it. */
/* clang-format off */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>
/* clang-format on */

#include "base/units.h"

#include <errno.h>
#include <locale.h>
#include <stdio.h>
#include <string.h>

typedef int (*parser)(const char *text, uint64_t *ret_value, struct berm_error *err);
typedef void (*formatter)(uint64_t value, char *ret_text, size_t size);

struct reading {
    const char *text;
    uint64_t value;
};

#define UNTOUCHED 0xabadcafeULL

static void assert_reads(parser parse, const struct reading *rows, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        uint64_t value = UNTOUCHED;
        struct berm_error err = {0};
        if (parse(rows[i].text, &value, &err) != 0)
            fail_msg("%s was refused: %s", rows[i].text, err.message);
        if (value != rows[i].value)
            fail_msg("%s gave %llu", rows[i].text, (unsigned long long)value);
    }
}

/* Refused as invalid, with the text that was read and a part of the reason. */
static void assert_refused(parser parse, const char *text, const char *reason)
{
    uint64_t value = UNTOUCHED;
    struct berm_error err = {0};

    if (parse(text, &value, &err) != -EINVAL)
        fail_msg("%s was taken as %llu", text, (unsigned long long)value);
    assert_int_equal(value, UNTOUCHED);
    assert_int_equal(err.code, BERM_E_INVALID);
    assert_non_null(strstr(err.message, text));
    if (!strstr(err.message, reason))
        fail_msg("the error of \"%s\" does not say \"%s\": %s", text, reason, err.message);
    assert_string_not_equal(err.cure, "");
    assert_int_equal(parse(text, &value, NULL), -EINVAL);
}

static void durations_are_read_to_the_nanosecond(void **state)
{
    (void)state;
    static const struct reading rows[] = {
        {"1.5s",                   1500000000ULL   },
        {"500ms",                  500000000ULL    },
        {"2m",                     120000000000ULL },
        {"1h",                     3600000000000ULL},
        {"100us",                  100000ULL       },
        {"7ns",                    7ULL            },
        {"0s",                     0ULL            },
        {"0.000001s",              1000ULL         },
        {"0.5h",                   1800000000000ULL},
        {"0.999999h",              3599996400000ULL},
        {"007s",                   7000000000ULL   },
        {"18446744073709551615ns", UINT64_MAX      },
    };
    assert_reads(units_parse_duration, rows, sizeof(rows) / sizeof(rows[0]));
}

static void sizes_are_read_with_1024_whatever_the_spelling(void **state)
{
    (void)state;
    static const struct reading rows[] = {
        {"512MiB", 512ULL << 20},
        {"512MB",  512ULL << 20},
        {"64KiB",  64ULL << 10 },
        {"64KB",   64ULL << 10 },
        {"1GiB",   1ULL << 30  },
        {"1GB",    1ULL << 30  },
        {"16TiB",  16ULL << 40 },
        {"16TB",   16ULL << 40 },
        {"100B",   100         },
        {"1.5GiB", 3ULL << 29  },
        {"0.5KiB", 512         },
        {"0B",     0           },
    };
    assert_reads(units_parse_size, rows, sizeof(rows) / sizeof(rows[0]));
}

static void counts_and_cpus_need_no_unit(void **state)
{
    (void)state;
    static const struct reading counts[] = {
        {"0",                    0         },
        {"128",                  128       },
        {"18446744073709551615", UINT64_MAX},
    };
    static const struct reading cpus[] = {
        {"1",     1000},
        {"1.5",   1500},
        {"0.25",  250 },
        {"0.001", 1   },
        {"2.500", 2500},
    };
    assert_reads(units_parse_count, counts, sizeof(counts) / sizeof(counts[0]));
    assert_reads(units_parse_cpus, cpus, sizeof(cpus) / sizeof(cpus[0]));
}

static void a_bare_number_is_refused_with_the_forms_of_units(void **state)
{
    (void)state;
    assert_refused(units_parse_duration, "30", "has no unit: a duration is a number with h, m, s");
    assert_refused(units_parse_duration, "1.5", "has no unit");
    assert_refused(units_parse_size, "512", "has no unit: a size is a number with B, KiB, MiB");
    assert_refused(units_parse_size, "0", "has no unit");
}

static void an_unknown_unit_is_named(void **state)
{
    (void)state;
    assert_refused(units_parse_duration, "5sec", "the unknown unit \"sec\"");
    assert_refused(units_parse_duration, "5 s", "the unknown unit \" s\"");
    assert_refused(units_parse_duration, "5S", "the unknown unit \"S\"");
    assert_refused(units_parse_duration, "5s ", "the unknown unit \"s \"");
    assert_refused(units_parse_duration, "5MiB", "the unknown unit \"MiB\"");
    assert_refused(units_parse_duration, "1e3s", "the unknown unit \"e3s\"");
    assert_refused(units_parse_size, "512mb", "the unknown unit \"mb\"");
    assert_refused(units_parse_size, "512M", "the unknown unit \"M\"");
    assert_refused(units_parse_size, "0x10B", "the unknown unit \"x10B\"");
    assert_refused(units_parse_size, "1_000B", "the unknown unit \"_000B\"");
    assert_refused(units_parse_size, "1,5GiB", "the unknown unit \",5GiB\"");
    assert_refused(units_parse_count, "128k", "goes on with \"k\"");
    assert_refused(units_parse_cpus, "2s", "goes on with \"s\"");
}

static void a_negative_number_is_called_negative(void **state)
{
    (void)state;
    assert_refused(units_parse_duration, "-1s", "is negative");
    assert_refused(units_parse_size, "-5MiB", "is negative");
    assert_refused(units_parse_count, "-1", "is negative");
    assert_refused(units_parse_count, "-9223372036854775808", "is negative");
    assert_refused(units_parse_cpus, "-0.5", "is negative");
}

static void what_does_not_fit_64_bits_is_called_too_large(void **state)
{
    (void)state;
    assert_refused(units_parse_count, "18446744073709551616", "is too large");
    assert_refused(units_parse_count, "99999999999999999999999999999999999999999999",
                   "is too large");
    assert_refused(units_parse_size, "16777216TiB", "is too large");
    assert_refused(units_parse_size, "18446744073709551616B", "is too large");
    assert_refused(units_parse_duration, "5124096h", "is too large");
    /* 2^64 ns is 5124095.576...h: only the fraction passes the end. */
    assert_refused(units_parse_duration, "5124095.6h", "is too large");
    assert_refused(units_parse_cpus, "18446744073709552", "is too large");
}

static void what_is_no_number_is_refused(void **state)
{
    (void)state;
    static const char *const texts[] = {"abc", ".5s",   "5.s", "+5s", " 5s",
                                        "s",   "5..5s", "inf", "nan", "\xd9\xa3s"};
    for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++)
        assert_refused(units_parse_duration, texts[i], texts[i]);
    assert_refused(units_parse_duration, "", "is empty");
    assert_refused(units_parse_size, "", "is empty");
    assert_refused(units_parse_count, "", "is empty");
    assert_refused(units_parse_count, "128.0", "has a point");
}

static void nothing_is_rounded(void **state)
{
    (void)state;
    assert_refused(units_parse_duration, "0.5ns", "is finer than a nanosecond");
    assert_refused(units_parse_duration, "0.1234567s", "6 digits after the point");
    assert_refused(units_parse_size, "0.1GiB", "is finer than a byte");
    assert_refused(units_parse_cpus, "0.0005", "is finer than a thousandth");
}

static void the_locale_changes_nothing(void **state)
{
    (void)state;
    uint64_t value = 0;
    /* Any locale with a comma will do; without one the claim is tested in the C locale alone. */
    (void)(setlocale(LC_ALL, "de_DE.UTF-8") || setlocale(LC_ALL, "C.UTF-8"));
    assert_int_equal(units_parse_duration("1.5s", &value, NULL), 0);
    assert_int_equal(value, 1500000000ULL);
    assert_refused(units_parse_duration, "1,5s", "unknown unit");
    (void)setlocale(LC_ALL, "C");
}

static void assert_formats(formatter format, uint64_t value, const char *expected)
{
    char text[UNITS_TEXT_SIZE];
    format(value, text, sizeof(text));
    assert_string_equal(text, expected);
}

static void values_are_written_in_the_largest_whole_unit(void **state)
{
    (void)state;
    assert_formats(units_format_duration, 1500000000ULL, "1500ms");
    assert_formats(units_format_duration, 30000000000ULL, "30s");
    assert_formats(units_format_duration, 7200000000000ULL, "2h");
    assert_formats(units_format_duration, 0, "0ns");
    assert_formats(units_format_size, 512ULL << 20, "512MiB");
    assert_formats(units_format_size, 1000, "1000B");
    assert_formats(units_format_size, 0, "0B");
    assert_formats(units_format_count, UINT64_MAX, "18446744073709551615");
    assert_formats(units_format_cpus, 1500, "1.5");
    assert_formats(units_format_cpus, 2000, "2");
    assert_formats(units_format_cpus, 1050, "1.05");
    assert_formats(units_format_cpus, 1, "0.001");
}

static void assert_round_trip(formatter format, parser parse, uint64_t value)
{
    char text[UNITS_TEXT_SIZE];
    uint64_t again = ~value;

    format(value, text, sizeof(text));
    assert_int_equal(parse(text, &again, NULL), 0);
    assert_int_equal(again, value);
}

static void what_is_written_reads_back_the_same(void **state)
{
    (void)state;
    /* Powers, their neighbours, and a walk with an odd stride through all magnitudes. */
    for (uint64_t value = 1, i = 0; i < 4000; i++, value = value * 6364136223846793005ULL + 11) {
        uint64_t wide = value >> (i % 64);
        assert_round_trip(units_format_duration, units_parse_duration, wide);
        assert_round_trip(units_format_size, units_parse_size, wide);
        assert_round_trip(units_format_count, units_parse_count, wide);
        assert_round_trip(units_format_cpus, units_parse_cpus, wide);
    }
    assert_round_trip(units_format_duration, units_parse_duration, UINT64_MAX);
    assert_round_trip(units_format_size, units_parse_size, UINT64_MAX);
    assert_round_trip(units_format_cpus, units_parse_cpus, UINT64_MAX);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(durations_are_read_to_the_nanosecond),
        cmocka_unit_test(sizes_are_read_with_1024_whatever_the_spelling),
        cmocka_unit_test(counts_and_cpus_need_no_unit),
        cmocka_unit_test(a_bare_number_is_refused_with_the_forms_of_units),
        cmocka_unit_test(an_unknown_unit_is_named),
        cmocka_unit_test(a_negative_number_is_called_negative),
        cmocka_unit_test(what_does_not_fit_64_bits_is_called_too_large),
        cmocka_unit_test(what_is_no_number_is_refused),
        cmocka_unit_test(nothing_is_rounded),
        cmocka_unit_test(the_locale_changes_nothing),
        cmocka_unit_test(values_are_written_in_the_largest_whole_unit),
        cmocka_unit_test(what_is_written_reads_back_the_same),
    };
    return cmocka_run_group_tests_name("base/units", tests, NULL, NULL);
}

/*
 * Any text as a number with a unit: what is read can be written and reads back the same, what is refused
 * leaves the value alone and says why.
 */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/quote.h"
#include "base/units.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

#define TEXT_MAX  512
#define UNTOUCHED 0x5eedULL

static const struct kind {
    int (*parse)(const char *text, uint64_t *ret_value, struct berm_error *err);
    void (*format)(uint64_t value, char *ret_text, size_t size);
} kinds[] = {
    {units_parse_duration, units_format_duration},
    {units_parse_size,     units_format_size    },
    {units_parse_count,    units_format_count   },
    {units_parse_cpus,     units_format_cpus    },
};

static void check_plain(const char *text)
{
    for (; *text; text++)
        if ((unsigned char)*text < 0x20 || *text == 0x7f)
            abort();
}

static void check_kind(const struct kind *kind, const char *text)
{
    struct berm_error err = {0};
    uint64_t value = UNTOUCHED;
    uint64_t again = UNTOUCHED;
    char written[UNITS_TEXT_SIZE];

    if (kind->parse(text, &value, &err) < 0) {
        if (value != UNTOUCHED || err.code != BERM_E_INVALID || !*err.message || !*err.cure)
            abort();
        check_plain(err.message);
        return;
    }
    kind->format(value, written, sizeof(written));
    if (strlen(written) >= sizeof(written) || kind->parse(written, &again, NULL) < 0 ||
        again != value)
        abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    char text[TEXT_MAX];
    struct quoted quoted;

    if (size >= sizeof(text))
        size = sizeof(text) - 1;
    memcpy(text, data, size);
    text[size] = '\0';
    for (size_t i = 0; i < sizeof(kinds) / sizeof(kinds[0]); i++)
        check_kind(&kinds[i], text);
    check_plain(quote_text(&quoted, text));
    if (strlen(quoted.text) < 2 || quoted.text[0] != '"' ||
        quoted.text[strlen(quoted.text) - 1] != '"')
        abort();
    return 0;
}

/*
 * Any bytes as key and texts of a document: the frame stays what it was, and every string is a JSON string.
 */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "wire/json.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

struct page {
    char *text;
    size_t used, room;
};

static int collect(void *context, const char *bytes, size_t size)
{
    struct page *page = context;
    if (size > page->room - page->used)
        abort(); /* six bytes a byte and the frame are enough */
    memcpy(page->text + page->used, bytes, size);
    page->used += size;
    return 0;
}

/* The size of the JSON string that begins at @text, or 0: RFC 8259, section 7. */
static size_t string_size(const char *text, size_t size)
{
    size_t i = 1;

    if (size == 0 || text[0] != '"')
        return 0;
    while (i < size && text[i] != '"') {
        if ((unsigned char)text[i] < 0x20)
            return 0;
        if (text[i] == '\\' && ++i < size) {
            if (!memchr("\"\\/bfnrtu", text[i], 9))
                return 0;
            if (text[i] == 'u' && (size - i < 5 || strspn(text + i + 1, "0123456789abcdef") < 4))
                return 0;
        }
        i++;
    }
    return i < size ? i + 1 : 0;
}

static void check(const struct page *page)
{
    /* {"<key>":["<text>","<parts>","<base64>"]}\n */
    const char *at = page->text + 1;
    size_t left = page->used - 1;
    static const char after[] = {':', ',', ',', ']'};

    if (!text_is_valid(page->text, page->used))
        abort();
    for (size_t i = 0; i < sizeof(after); i++) {
        size_t size = string_size(at, left);
        if (size == 0 || at[size] != after[i])
            abort();
        at += size + (i == 0 ? 2 : 1);
        left -= size + (i == 0 ? 2 : 1);
    }
    if (left != 2 || memcmp(at, "}\n", 2) != 0)
        abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    const char *bytes = (const char *)data;
    size_t half = size / 2;
    struct page page = {.room = 24 * size + 64};
    struct json_writer json;
    char *key = malloc(size + 1);

    page.text = malloc(page.room);
    if (!key || !page.text)
        abort();
    memcpy(key, data, size);
    key[size] = '\0';

    json_begin(&json, collect, &page, false);
    json_object(&json);
    json_key(&json, key);
    json_array(&json);
    json_bytes(&json, bytes, size);
    json_text_open(&json);
    json_text_part(&json, bytes, half);
    json_text_part(&json, bytes + half, size - half);
    json_text_close(&json);
    json_base64(&json, bytes, half, bytes + half, size - half);
    json_array_end(&json);
    json_object_end(&json);
    if (json_end(&json) != 0)
        abort();
    check(&page);
    free(page.text);
    free(key);
    return 0;
}

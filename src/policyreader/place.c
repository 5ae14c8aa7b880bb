/*
 * A cursor through well-formed JSON. Owns nothing.
 */
#include "policyreader/place.h"

#include <stdbool.h>
#include <string.h>

struct place place_start(const char *text, size_t size)
{
    return (struct place){.at = text, .end = text + size, .line = 1};
}

static void step(struct place *place)
{
    if (place->at == place->end)
        return;
    if (*place->at == '\n')
        place->newlines++;
    place->at++;
}

static bool stands_on(const struct place *place, const char *set)
{
    return place->at < place->end && *place->at && strchr(set, *place->at);
}

static void skip(struct place *place, const char *set)
{
    while (stands_on(place, set))
        step(place);
}

/* The separators before an item: JSON's white space, and the comma behind the item before. */
static void reach(struct place *place)
{
    skip(place, " \t\r\n,");
    place->line = place->newlines + 1;
}

static void skip_string(struct place *place)
{
    step(place); /* the opening quote */
    while (place->at < place->end && *place->at != '"') {
        if (*place->at == '\\')
            step(place); /* what is escaped ends nothing */
        step(place);
    }
    step(place);
}

void place_open(struct place *place)
{
    skip(place, " \t\r\n:");
    step(place);
}

void place_key(struct place *place)
{
    reach(place);
    skip_string(place);
    skip(place, " \t\r\n:");
}

void place_item(struct place *place)
{
    reach(place);
}

void place_scalar(struct place *place, char ret_text[static PLACE_NUMBER_SIZE])
{
    const char *start = place->at;

    if (stands_on(place, "\""))
        skip_string(place);
    else
        while (place->at < place->end && !stands_on(place, " \t\r\n,]}"))
            step(place);
    size_t size = (size_t)(place->at - start);
    if (size >= PLACE_NUMBER_SIZE)
        size = PLACE_NUMBER_SIZE - 1;
    memcpy(ret_text, start, size);
    ret_text[size] = '\0';
}

void place_close(struct place *place)
{
    skip(place, " \t\r\n");
    step(place);
}

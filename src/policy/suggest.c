/*
 * The nearest known word. Owns no data.
 */
#include "policy/suggest.h"

#include <stddef.h>
#include <string.h>

#include "policy/policy.h"

/* Longer words get no suggestion: the table below is on the stack. */
#define WORD_MAX 32

static char folded(char c)
{
    if (c == '_')
        return '-';
    return c;
}

static unsigned least(unsigned a, unsigned b)
{
    return a < b ? a : b;
}

/* Edit distance with swaps of neighbours: "memroy" is one slip away from "memory", not two. */
static unsigned distance_of(const char *a, size_t a_size, const char *b, size_t b_size)
{
    unsigned rows[WORD_MAX + 1][WORD_MAX + 1];

    for (size_t i = 0; i <= a_size; i++)
        rows[i][0] = (unsigned)i;
    for (size_t j = 0; j <= b_size; j++)
        rows[0][j] = (unsigned)j;
    for (size_t i = 1; i <= a_size; i++) {
        for (size_t j = 1; j <= b_size; j++) {
            char x = folded(a[i - 1]);
            char y = folded(b[j - 1]);
            unsigned best = least(rows[i - 1][j], rows[i][j - 1]) + 1;
            best = least(best, rows[i - 1][j - 1] + (x == y ? 0 : 1));
            if (i > 1 && j > 1 && x == folded(b[j - 2]) && y == folded(a[i - 2]))
                best = least(best, rows[i - 2][j - 2] + 1);
            rows[i][j] = best;
        }
    }
    return rows[a_size][b_size];
}

void suggest_offer(struct suggestion *suggestion, const char *known)
{
    size_t wanted_size = strnlen(suggestion->wanted, WORD_MAX + 1);
    size_t known_size = strnlen(known, WORD_MAX + 1);

    if (wanted_size > WORD_MAX || known_size > WORD_MAX)
        return;
    /* Each character more or less is a slip: most words need no table. */
    if (wanted_size > known_size + SUGGEST_DISTANCE_MAX ||
        known_size > wanted_size + SUGGEST_DISTANCE_MAX)
        return;
    unsigned distance = distance_of(suggestion->wanted, wanted_size, known, known_size);
    /* A word of two letters is two slips away from every other one. */
    if (distance >= suggestion->distance || distance >= known_size || distance >= wanted_size)
        return;
    suggestion->best = known;
    suggestion->distance = distance;
}

void suggest_offer_keys(struct suggestion *suggestion)
{
#define SELECTOR(id, ...) suggest_offer(suggestion, #id);
#include "policy/fields.def"
#undef SELECTOR
    for (size_t i = 0; i < FIELD_COUNT; i++)
        suggest_offer(suggestion, policy_fields[i].name);
}

/*
 * "Did you mean": the nearest of a set of known words.
 *
 * In: a word that nobody knows, then the known words one by one. Out: the nearest, or nothing. Must
 * never: allocate, or change what is done: a suggestion is only said.
 */
#ifndef BERM_POLICY_SUGGEST_H
#define BERM_POLICY_SUGGEST_H

/* Words farther apart than this are not suggested. */
#define SUGGEST_DISTANCE_MAX 2

struct suggestion {
    const char *wanted; /* borrowed */
    const char *best;   /* borrowed; NULL = nothing is near */
    unsigned distance;
};

static inline struct suggestion suggest_for(const char *wanted)
{
    return (struct suggestion){.wanted = wanted, .distance = SUGGEST_DISTANCE_MAX + 1};
}

/**
 * Offer a known word; the nearest one so far is kept, the first of equals.
 *
 * @suggestion  from suggest_for().
 * @known       borrows; must outlive the suggestion.
 * The distance counts inserted, left out, changed and swapped characters; - and _ are the same.
 * Threads: yes.  Async-signal-safe: no.  Since: 0.1.
 * Source: —.  Test: unit/policy/suggest.
 */
void suggest_offer(struct suggestion *suggestion, const char *known);

/* Offer every selector, field id and group of the table: the keys that policy_set takes. */
void suggest_offer_keys(struct suggestion *suggestion);

#endif

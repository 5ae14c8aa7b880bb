/*
 * jansson's opinion on what a writer wrote. Apart from the tests, since its functions and the writer's
 * have the same names.
 */
#ifndef BERM_TESTS_WIRE_JUDGE_H
#define BERM_TESTS_WIRE_JUDGE_H

#include <stdbool.h>
#include <stddef.h>

/* One valid JSON document without a key twice in an object? */
bool judge_is_json(const char *json);

/* Is the document one string with exactly these characters? */
bool judge_is_text(const char *json, const char *text, size_t size);

/* The value at a path such as "usage.wall_s" or "layers.0.state", as compact JSON; "absent" when there
 * is none. Owned by the caller. */
char *judge_at(const char *json, const char *path);

#endif

/*
 * The control of the tests: copying as one would write it without a thought of who chose the names.
 */
#ifndef BERM_TESTS_NAIVE_H
#define BERM_TESTS_NAIVE_H

/* Copy the file at one path to another, by open and fopen; follows every link. Returns the bytes or -1. */
long naive_copy(const char *from, const char *to);

#endif

/*
 * A matrix for people and for programs. All three are pure: they read the matrix and write to a stream.
 */
#ifndef BERM_PROVE_REPORT_H
#define BERM_PROVE_REPORT_H

#include <stdio.h>

#include "prove/matrix.h"

/* A table for a terminal of @width characters; colours when @is_colored. Returns 0 or -errno. */
int report_text(const struct matrix *matrix, unsigned width, bool is_colored, FILE *out);

/* One JSON document. Returns 0 or -errno. */
int report_json(const struct matrix *matrix, FILE *out);

/* One self-contained page: no network, readable on a phone, dark and light. Returns 0 or -errno. */
int report_html(const struct matrix *matrix, FILE *out);

/* The table of a Markdown page: attacks by columns. Returns 0 or -errno. */
int report_markdown(const struct matrix *matrix, FILE *out);

/* One attack: what is tried, what counts as harm, who stops it. Returns 0 or -errno. */
int report_attack(const struct attack *attack, FILE *out);

/* The list of attacks. Returns 0 or -errno. */
int report_list(FILE *out);

#endif

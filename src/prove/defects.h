/*
 * Planted defects: each is caught by a check with the other layers off, and hidden at some levels by another layer.
 */
#ifndef BERM_PROVE_DEFECTS_H
#define BERM_PROVE_DEFECTS_H

#include <stdbool.h>

struct defect {
    const char *name;   /* as berm-defective knows it */
    const char *breaks; /* one sentence: what is wrong */
    const char *check;  /* the attack or check that catches it */
    int level;          /* where it is tried with the other layers off */
    const char *off;    /* layers that are switched off there, by commas; "" */
    /* Defects that are planted with it, or another wall would stand before it; by commas. Without the defect itself they
     * do no harm: the control. */
    const char *together;
    unsigned needs; /* enum attack_need, beside those of the check */
};

/* Try all, or the one named @only; print the table, or JSON. Returns the exit status: 0 every defect was caught, 1 one
 * was not, 125 nothing could be tried. */
int prove_defects(const char *only, bool is_json);

#endif

/*
 * Filters with a planted defect: in berm-defective alone.
 */
#ifndef BERM_RUN_PLANTED_FILTER_H
#define BERM_RUN_PLANTED_FILTER_H

#include "linux/filter.h"

/* The filter of the plan, with the defect that is planted before its first statement. Borrowed, static. */
struct filter_program planted_filter(const struct filter_program *program);

#endif

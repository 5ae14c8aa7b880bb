/*
 * Which defects are planted: in berm-defective alone.
 */
#include "plan/defect.h"

unsigned long long planted_defects;

/*
 * The names of signals, for people.
 */
#ifndef BERM_BASE_SIGNALS_H
#define BERM_BASE_SIGNALS_H

/* "SIGKILL"; NULL for a number without a name of its own (0, real-time signals, nonsense). */
const char *signal_name(int number);

#endif

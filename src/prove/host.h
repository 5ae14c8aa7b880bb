/*
 * What the host sees of the processes of an attack: by its own /proc, never by what they say.
 */
#ifndef BERM_PROVE_HOST_H
#define BERM_PROVE_HOST_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#define SIGHT_PIDS_MAX 1024

/* The processes of one run, found by the tag among their arguments. */
struct sight {
    pid_t pids[SIGHT_PIDS_MAX];
    size_t count;
};

/* Peaks of a run, over all looks; of what the tree has used up, not only of what lives. */
struct sight_peaks {
    size_t processes, threads;
    uint64_t rss_bytes, cpu_ms;
};

void sight_find(struct sight *sight, const char *tag);

/* Counts what is in sight into the peaks. */
void sight_count(const struct sight *sight, struct sight_peaks *peaks);

/* End them, and wait until they are gone. Returns how many there were. */
size_t sight_end(struct sight *sight, const char *tag);

/* A line of /proc/PID/status, without its name. False: it cannot be read. */
bool sight_status(pid_t pid, const char *field, char *out, size_t size);

/* A number of /proc/PID/stat, fields counted as proc(5) does. False: it cannot be read. */
bool sight_stat(pid_t pid, int field, int64_t *ret_value);

/* Does a descriptor of the process lead to something whose name has this in it? */
bool sight_has_descriptor(pid_t pid, const char *part, char *seen, size_t size);

size_t sight_open_files(pid_t pid);

/* Is this text in /proc/PID/FILE? */
bool sight_file_has(pid_t pid, const char *file, const char *text);

/* The first line of /proc/PID/FILE. */
bool sight_line(pid_t pid, const char *file, char *out, size_t size);

#endif

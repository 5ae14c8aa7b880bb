/*
 * Attacks that use things up.
 */
#include "prove/attacks.h"

/* A limit that is short enough for a table of many runs, and twice as long as a busy machine is late. */
/* clang-format off */
#define WALL_MS 500
#define CPU_MS  400
#define FOR_TIME                                                                                   \
    .layer = BERM_LAYER_LIMITS, .from = 1, .topic = TOPIC_TIME, .wall_ms = WALL_MS,                \
    .afterwards = look_outlasted, \
    .harm = "it is there at twice the wall-clock limit"
#define FOR_CPU .topic = TOPIC_CPU_TIME, .cpu_ms = CPU_MS, .afterwards = look_cpu, \
    .harm = "its processes together use twice the CPU-time limit"

const struct attack attacks_limits[] = {
    {.id = "wall-sleep", .tries = "sleeps past the wall-clock limit", .words = {"linger", "sleep", "{three-walls}"},
     FOR_TIME},
    {.id = "wall-busy", .tries = "loops past the wall-clock limit", .words = {"linger", "busy", "{three-walls}"}, FOR_TIME},
    {.id = "wall-deaf", .tries = "ignores every request to end and goes on",
     .words = {"linger", "deaf", "{three-walls}"}, FOR_TIME},
    {.id = "wall-silent", .tries = "closes its output, so that it looks ended, and goes on",
     .words = {"linger", "silent", "{three-walls}"}, FOR_TIME},
    {.id = "wall-family", .tries = "goes on in eight children", .words = {"linger", "family", "{three-walls}"}, FOR_TIME},
    {.id = "cpu-busy", .tries = "keeps a CPU busy past the CPU-time limit", .words = {"burn", "one", "{burn-ms}"},
     .layer = BERM_LAYER_LIMITS, .from = 1, FOR_CPU},
    {.id = "cpu-deaf", .tries = "ignores the signal of the CPU-time limit", .words = {"burn", "deaf", "{burn-ms}"},
     .layer = BERM_LAYER_LIMITS, .from = 1, FOR_CPU},
    {.id = "cpu-threads", .tries = "keeps five threads busy", .words = {"burn", "threads", "{burn-ms}"},
     .layer = BERM_LAYER_LIMITS, .from = 1, FOR_CPU},
    {.id = "cpu-chain", .tries = "spends CPU time in a chain of children that each live for milliseconds",
     .words = {"burn", "chain", "{burn-ms}"}, .layer = BERM_LAYER_LIMITS, .from = 3, FOR_CPU},
    {.id = "memory-one", .tries = "takes 1 GiB of memory", .words = {"alloc", "1024"},
     .layer = BERM_LAYER_LIMITS, .from = 1,
     .topic = TOPIC_MEMORY, .detail = 850, .while_held = look_memory, .afterwards = look_memory,
     .harm = "its processes hold more than 850 MiB; the limit is 512 MiB"},
    {.id = "memory-children", .tries = "takes 1 GiB in eight children",
     .words = {"alloc-children", "8", "128"},
     .layer = BERM_LAYER_LIMITS, .from = 3, .topic = TOPIC_MEMORY, .detail = 850, .while_held = look_memory, .afterwards = look_memory,
     .harm = "its processes hold more than 850 MiB; the limit is 512 MiB"},
    {.id = "memory-file", .tries = "writes 800 MiB into a memory file, which no process seems to hold",
     .words = {"fill-memory-file", "800"}, .layer = BERM_LAYER_LIMITS, .from = 3, .topic = TOPIC_MEMORY,
     .options = "--file-size 2GiB", .needs = NEEDS_GROUP, .detail = 640, .while_held = look_memory_file,
     .harm = "its memory file holds more than 640 MiB; the limit is 512 MiB"},
    {.id = "file-size", .tries = "writes one file of 96 MiB", .words = {"fill-one", "96"},
     .layer = BERM_LAYER_LIMITS, .from = 1, .topic = TOPIC_FILE_SIZE, .detail = 65, .while_held = look_stored,
     .harm = "the file holds more than 65 MiB; the limit is 64 MiB"},
    {.id = "disk-files", .tries = "fills the disk with many files of 4 MiB", .words = {"fill", ".", "{files-of-4-mib}", "4"},
     .layer = BERM_LAYER_FILESYSTEM, .from = 6, .topic = TOPIC_STORAGE, .options = "--work-size 32MiB",
     .detail = 0,
     .while_held = look_stored, .harm = "its files hold more than the work directory may: 32 MiB, 256 MiB for other sandboxes"},
    {.id = "disk-tmp", .tries = "fills /tmp with files of 4 MiB", .words = {"fill", "/tmp", "24", "4"},
     .layer = BERM_LAYER_FILESYSTEM, .from = 6, .topic = TOPIC_STORAGE, .detail = 65, .while_held = look_stored,
     .harm = "its files hold more than 65 MiB; the limit is 64 MiB"},
    {.id = "disk-shm", .tries = "fills the shared memory of the host with files",
     .words = {"fill", "/dev/shm", "24", "4"},
     .layer = BERM_LAYER_FILESYSTEM, .from = 6, .topic = TOPIC_STORAGE, .detail = 65, .while_held = look_stored,
     .harm = "its files hold more than 65 MiB; the limit is 64 MiB"},
    {.id = "inodes", .tries = "makes 500 empty files", .words = {"fill", ".", "500", "0"},
     .layer = BERM_LAYER_FILESYSTEM, .from = 6, .topic = TOPIC_STORAGE, .options = "--work-files 300",
     .detail = 300,
     .while_held = look_file_count, .harm = "it has made more than 300 files, which is the limit"},
    {.id = "open-files", .tries = "opens 2,000 files", .words = {"open-files", "2000"},
     .layer = BERM_LAYER_LIMITS, .from = 1,
     .topic = TOPIC_OPEN_FILES, .detail = 1030, .while_held = look_open_files,
     .harm = "it has more than 1,030 files open; the limit is 1,024"},
    {.id = "fork-many", .tries = "starts 300 processes", .words = {"fork", "300"}, .layer = BERM_LAYER_PROCESS,
     .from = 3,
     .topic = TOPIC_PROCESSES, .detail = 132, .while_held = look_processes,
     .harm = "more than 132 of its processes run at once; the limit is 128"},
    {.id = "fork-bomb", .tries = "doubles itself as fast as it can, up to 300", .words = {"bomb", "300"},
     .layer = BERM_LAYER_PROCESS, .from = 3, .topic = TOPIC_PROCESSES, .detail = 132, .while_held = look_processes,
     .harm = "more than 132 of its processes run at once; the limit is 128"},
    {.id = "threads", .tries = "starts 300 threads", .words = {"threads", "300"}, .layer = BERM_LAYER_PROCESS,
     .from = 3,
     .topic = TOPIC_PROCESSES, .detail = 132, .while_held = look_threads,
     .harm = "more than 132 of its threads run at once; the limit is 128"},
    {.id = "flood-stdout", .tries = "prints fifty megabytes", .words = {"flood", "stdout", "50000000"},
     .layer = BERM_LAYER_LIMITS, .from = 1, .topic = TOPIC_OUTPUT, .options = "--output 102400", .detail = 1 << 20,
     .afterwards = look_output, .harm = "the caller is given more than 1 MiB"},
    {.id = "flood-stderr", .tries = "prints fifty megabytes as errors", .words = {"flood", "stderr", "50000000"},
     .layer = BERM_LAYER_LIMITS, .from = 1, .topic = TOPIC_OUTPUT, .options = "--output 102400", .detail = 1 << 20,
     .afterwards = look_output, .harm = "the caller is given more than 1 MiB"},
    {.id = "core-dump", .tries = "crashes, so that its memory is written to the caller's directory",
     .words = {"crash"},
     .layer = BERM_LAYER_LIMITS, .from = 1, .topic = TOPIC_STORAGE, .needs = NEEDS_CORE_FILES,
     .afterwards = look_core,
     .harm = "a core dump lies in the caller's directory"},
    {.id = "background", .tries = "leaves a child behind that goes on", .words = {"background", "20000"},
     .layer = BERM_LAYER_LIMITS, .from = 1, .topic = TOPIC_LEFTOVERS, .afterwards = look_survivors,
     .harm = "a process of it goes on after the run"},
    {.id = "daemon", .tries = "leaves a daemon behind, out of its session", .words = {"daemon", "20"},
     .layer = BERM_LAYER_PROCESS, .from = 3, .topic = TOPIC_LEFTOVERS, .afterwards = look_survivors,
     .harm = "a process of it goes on after the run"},
    {.id = "cpus", .tries = "takes every CPU of the machine", .words = {"widen-cpus"},
     .layer = BERM_LAYER_LIMITS, .from = 6,
     .topic = TOPIC_CPUS, .needs = NEEDS_TWO_CPUS, .while_held = look_cpus,
     .harm = "it may use more than one CPU at a time"},
    {.id = "priority", .tries = "puts itself before all other processes", .words = {"nice-lower"},
     .layer = BERM_LAYER_PROCESS, .from = 3, .topic = TOPIC_CPUS, .needs = NEEDS_ROOT, .while_held = look_priority,
     .harm = "its nice value is below 0"},
    {.id = "real-time", .tries = "becomes a real-time process", .words = {"real-time"}, .layer = BERM_LAYER_PROCESS,
     .from = 3, .topic = TOPIC_CPUS, .needs = NEEDS_ROOT, .while_held = look_real_time,
     .harm = "it has a real-time priority"},
};

/* clang-format on */

const size_t attacks_limits_count = sizeof(attacks_limits) / sizeof(attacks_limits[0]);

/*
 * berm-files: reads files and archives that a program made, with libraries that parse hostile bytes.
 *
 * In: a verb, its caps, stdin, the current directory. Out: lines or an archive on stdout. Must never: be run
 * outside of a run, reach for anything but the current directory, or be believed about more than the files in it:
 * whoever takes this process over can say anything (docs/decisions/0011-files.md).
 */
#include <errno.h>
#include <locale.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/quote.h"
#include "base/units.h"
#include "files/verbs.h"

#define USAGE_STATUS 2

static const char usage[] =
    "Usage: berm-files inspect < paths    print the SHA-256, then the type of each file\n"
    "       berm-files unpack [--files N] [--bytes N] [--file-bytes N] < archive\n"
    "       berm-files pack < paths       write an archive of them, of all when there are none\n"
    "\n"
    "Paths are relative to the current directory, each ended by a NUL.\n";

int verb_failed(const char *what, int ret)
{
    (void)fprintf(stderr, "failed %s%s%s\n", what, ret < 0 ? ": " : "",
                  ret < 0 ? strerror(-ret) : ""); /* the exit status says it too */
    return 1;
}

static int refuse_usage(const char *what, const char *word)
{
    struct quoted quoted;

    (void)fprintf(stderr, "berm-files: %s %s\n", what, quote_text(&quoted, word));
    return USAGE_STATUS;
}

/* Pairs of a flag and a number. Returns 0 or the exit status. */
static int read_caps(char **words, int count, struct unpack_caps *caps)
{
    const struct {
        const char *flag;
        uint64_t *cap;
    } flags[] = {
        {"--files",      &caps->files     },
        {"--bytes",      &caps->bytes     },
        {"--file-bytes", &caps->file_bytes},
    };

    for (int i = 0; i < count; i += 2) {
        uint64_t *cap = NULL;
        for (size_t j = 0; j < sizeof(flags) / sizeof(flags[0]); j++)
            if (strcmp(flags[j].flag, words[i]) == 0)
                cap = flags[j].cap;
        if (!cap)
            return refuse_usage("unknown option", words[i]);
        if (i + 1 == count || units_parse_count(words[i + 1], cap, NULL) < 0)
            return refuse_usage("a whole number must follow", words[i]);
    }
    return 0;
}

static int run_unpack(char **words, int count)
{
    struct unpack_caps caps = {.files = 65536, .bytes = 1ULL << 30, .file_bytes = 1ULL << 28};
    int status = read_caps(words, count, &caps);

    return status != 0 ? status : verb_unpack(&caps);
}

int main(int argc, char **argv)
{
    const char *name = argc > 1 ? argv[1] : "";

    /* HOME and MAGIC would name further rules for libmagic (libmagic(3)), TMPDIR places to write: a program may
     * have left a .magic in the work directory. */
    if (clearenv() != 0)
        return verb_failed("cannot clear the environment", 0);
    /* libarchive turns the names of pax archives, which are UTF-8, into the locale's. */
    (void)setlocale(LC_CTYPE,
                    "C.UTF-8"); /* without it, names that are not ASCII are left out and named */
    if (strcmp(name, "unpack") == 0)
        return run_unpack(argv + 2, argc - 2);
    if (argc > 2)
        return refuse_usage("there is a word too many:", argv[2]);
    if (strcmp(name, "inspect") == 0)
        return verb_inspect();
    if (strcmp(name, "pack") == 0)
        return verb_pack();
    if (strcmp(name, "--help") == 0 || strcmp(name, "-h") == 0)
        return fputs(usage, stdout) < 0 || fflush(stdout) != 0;
    return refuse_usage("unknown verb", name);
}

/*
 * Finding berm and the guest.
 */
#include "prove/programs.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/types.h>
#include <unistd.h>

struct programs prove_programs;

/* The first that is executable, of the directory of this executable and what stands in @places. */
static int find(const char *directory, const char *const *places, char *out, size_t size)
{
    for (size_t i = 0; places[i]; i++) {
        (void)snprintf(out, size, "%s/%s", directory, places[i]);
        if (access(out, X_OK) == 0)
            return 0;
    }
    return -ENOENT;
}

int programs_find(const char **ret_what)
{
    /* PREFIX/libexec/berm/berm-prove, or BUILD/src/prove/berm-prove. */
    static const char *const berms[] = {"../../bin/berm", "../../berm", NULL};
    static const char *const guests[] = {"berm-guest", "../guest/berm-guest", NULL};
    static const char *const defectives[] = {"../../berm-defective", NULL};
    char directory[2048];
    ssize_t n = readlink("/proc/self/exe", directory, sizeof(directory) - 1);

    *ret_what = "this executable";
    if (n <= 0)
        return -ENOENT;
    directory[n] = '\0';
    *strrchr(directory, '/') = '\0';
    *ret_what = "berm";
    int r = find(directory, berms, prove_programs.berm, sizeof(prove_programs.berm));
    if (r == 0) {
        *ret_what = "berm-guest";
        r = find(directory, guests, prove_programs.guest, sizeof(prove_programs.guest));
    }
    if (find(directory, defectives, prove_programs.defective, sizeof(prove_programs.defective)) < 0)
        prove_programs.defective[0] = '\0';
    return r;
}

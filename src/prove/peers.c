/*
 * The table of the sandboxes that berm is compared with, and the columns of a matrix that they
 * become.
 *
 * In: a name, or a command of the user's. Out: what the column is called, what is typed, what it
 * claims, and why it cannot be had. Each preset is told in a file of its own; the rule for `claims`
 * is in peers_parts.h.
 */
#include <assert.h>
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "prove/peers_parts.h"

/* What a root of its own, namespaces and a fresh environment stand for together. */
#define CLAIM_CONTAINER                                                                            \
    (CLAIM(LEFTOVERS) | CLAIM(ENVIRONMENT) | CLAIM(OTHERS) | CLAIM(SECRETS) | CLAIM(FILES) |       \
     CLAIM(SHARED))

/* And limits of all that control groups, resource limits and a tmpfs can keep. */
#define CLAIM_LIMITED                                                                              \
    (CLAIM_CONTAINER | CLAIM(CPUS) | CLAIM(MEMORY) | CLAIM(FILE_SIZE) | CLAIM(STORAGE) |           \
     CLAIM(OPEN_FILES) | CLAIM(PROCESSES) | CLAIM(NETWORK) | CLAIM(PRIVILEGES))

/* clang-format off */
const struct peer prove_peers[] = {
    {.name = "bwrap", .title = "bubblewrap", .program = "bwrap",
     .claims = CLAIM_CONTAINER | CLAIM(STORAGE) | CLAIM(NETWORK) | CLAIM(PRIVILEGES),
     .note = "All namespaces, no capability, a read-only root of /usr and the guest alone, "
             "sizes for what can be written; bwrap(1) has no limit of its own and brings no "
             "system-call filter.",
     .prepare = bwrap_prepare, .wrap = bwrap_wrap},

    {.name = "firejail", .title = "firejail", .program = "firejail",
     .claims = CLAIM(TIME) | CLAIM(FILE_SIZE) | CLAIM(OPEN_FILES) | CLAIM(PROCESSES) |
               CLAIM(LEFTOVERS) | CLAIM(ENVIRONMENT) | CLAIM(OTHERS) | CLAIM(NETWORK) |
               CLAIM(SECRETS) | CLAIM(SHARED) | CLAIM(PRIVILEGES) | CLAIM(KERNEL),
     .note = "No profile but every flag of firejail(1) that takes something away: private "
             "directories, no network, no capability, its default system-call filter, time-out "
             "and limits.",
     .prepare = firejail_prepare, .wrap = firejail_wrap},

    {.name = "runc", .title = "runc", .program = "runc", .claims = CLAIM_LIMITED,
     .note = "The configuration of `runc spec` with all namespaces, no capability, host uids "
             "of its own, control groups and resource limits; runc brings no system-call "
             "filter.",
     .prepare = runc_prepare, .wrap = runc_wrap, .forget = runc_forget,
     .write_words = runc_write_words},

    {.name = "crun", .title = "crun", .program = "crun", .claims = CLAIM_LIMITED,
     .note = "The configuration of `crun spec` with all namespaces, no capability, host uids "
             "of its own, control groups and resource limits; crun brings no system-call "
             "filter.",
     .prepare = crun_prepare, .wrap = crun_wrap, .forget = crun_forget,
     .write_words = crun_write_words},

    {.name = "docker", .title = "docker run", .program = "docker",
     .claims = CLAIM_CONTAINER | CLAIM(PRIVILEGES) | CLAIM(KERNEL),
     .note = "`docker run` as it is typed without a flag: what the defaults of docker give "
             "everybody.",
     .prepare = docker_prepare, .wrap = docker_wrap, .forget = docker_forget},

    {.name = "docker-hardened", .title = "hardened docker run", .program = "docker",
     .claims = CLAIM_CONTAINER | CLAIM(CPUS) | CLAIM(MEMORY) | CLAIM(PROCESSES) | CLAIM(NETWORK) |
               CLAIM(PRIVILEGES) | CLAIM(KERNEL),
     .note = "`docker run` with the flags that guides to hardening name: no network, a "
             "read-only root, memory, CPU and process limits, no capability, no new "
             "privileges.",
     .prepare = docker_hardened_prepare, .wrap = docker_hardened_wrap,
     .forget = docker_hardened_forget},

    {.name = "nspawn", .title = "systemd-nspawn", .program = "systemd-nspawn",
     .claims = CLAIM_LIMITED | CLAIM(TIME) | CLAIM(KERNEL),
     .note = "A read-only root in a user namespace of its own, no network, no capability, the "
             "tool's system-call filter, resource limits and, under systemd, properties of its "
             "scope.",
     .prepare = nspawn_prepare, .wrap = nspawn_wrap, .forget = nspawn_forget},

    {.name = "unshare", .title = "util-linux unshare", .program = "unshare",
     .claims = CLAIM(LEFTOVERS) | CLAIM(OTHERS) | CLAIM(NETWORK) | CLAIM(SHARED),
     .note = "Every namespace but time, and a root directory, as unshare(1) makes them: it has "
             "no limit, and hides nothing that its namespaces do not.",
     .prepare = unshare_prepare, .wrap = unshare_wrap},

    {.name = "timeout", .title = "coreutils timeout", .program = "timeout",
     .claims = CLAIM(TIME) | CLAIM(FILE_SIZE) | CLAIM(OPEN_FILES) | CLAIM(PROCESSES),
     .note = "What everybody has at hand: timeout(1) for the wall clock, prlimit(1) for the "
             "limits.",
     .prepare = timeout_prepare, .wrap = timeout_wrap},
};

/* Beside the interface, a row for each preset in the same order: its package, what it loses here,
 * what it lacks. */
static const struct {
    const char *package;
    uint32_t (*unclaimed)(void);               /* for this caller on this machine; NULL: nothing */
    void (*lacks)(char *ret_why, size_t size); /* besides the program; NULL: nothing */
} circumstances[] = {
    {"bubblewrap",        NULL,             NULL},
    {"firejail",          NULL,             NULL},
    {"runc",              oci_unclaimed,    NULL},
    {"crun",              oci_unclaimed,    NULL},
    {"docker.io",         NULL,             docker_lacks},
    {"docker.io",         NULL,             docker_lacks},
    {"systemd-container", nspawn_unclaimed, nspawn_lacks},
    {"util-linux",        NULL,             NULL},
    {"coreutils",         NULL,             NULL},
};

#define LENGTH(table) (sizeof(table) / sizeof((table)[0]))
static_assert(LENGTH(circumstances) == LENGTH(prove_peers), "a preset without its row");
/* clang-format on */

const size_t prove_peer_count = LENGTH(prove_peers);

const struct peer *peer_find(const char *name)
{
    for (size_t i = 0; i < prove_peer_count; i++) {
        if (strcmp(prove_peers[i].name, name) == 0)
            return &prove_peers[i];
    }
    return NULL;
}

static void apply_circumstances(const struct peer *peer, struct column *column)
{
    size_t i = (size_t)(peer - prove_peers);

    if (circumstances[i].unclaimed)
        column->claims &= ~circumstances[i].unclaimed();
    if (!tool_is_there(peer->program))
        (void)snprintf(column->missing, sizeof(column->missing), "not installed: apt install %s",
                       circumstances[i].package);
    else if (circumstances[i].lacks)
        circumstances[i].lacks(column->missing, sizeof(column->missing));
}

static void column_of_preset(const struct peer *peer, const struct places *places,
                             struct column *column)
{
    struct words words = {0};
    char id[PEER_ID_SIZE];
    char version[24] = "";

    (void)snprintf(column->name, sizeof(column->name), "%s", peer->name);
    column->claims = peer->claims;
    apply_circumstances(peer, column);
    if (tool_is_there(peer->program))
        tool_version(peer->program, version, sizeof(version));
    (void)snprintf(column->title, sizeof(column->title), "%s%s%s", peer->title,
                   version[0] != '\0' ? " " : "", version);
    peer->wrap(places, &words);
    peer_id(places, peer->name, id);
    words_line(&words, places, id, column->command, sizeof(column->command));
    words_done(&words);
}

/* Why a command cannot be used; "": it can. @r is what reading it gave. */
static void find_fault(const char *command, const struct words *words, int r, char *ret_why,
                       size_t size)
{
    if (strlen(command) >= sizeof(((struct column *)0)->title))
        (void)snprintf(ret_why, size, "a command has at most %zu characters: use a script",
                       sizeof(((struct column *)0)->title) - 1);
    else if (r == -EINVAL)
        (void)snprintf(ret_why, size, "a quote in the command is not closed");
    else if (r < 0)
        (void)snprintf(ret_why, size, "the command cannot be read: %s", strerror(-r));
    else if (words->count == 0)
        (void)snprintf(ret_why, size, "the command is empty: name a preset or a command");
    else if (!tool_is_there(words->items[0]))
        (void)snprintf(ret_why, size, "no such program: %.80s", words->items[0]);
}

/* The title of a command is the command itself: its words are read from there again. */
static void column_of_command(const char *command, const struct places *places,
                              struct column *column)
{
    struct words words = {0};
    int r = words_of_command(command, &words);

    (void)snprintf(column->name, sizeof(column->name), "%s", command);
    (void)snprintf(column->title, sizeof(column->title), "%s", command);
    find_fault(command, &words, r, column->missing, sizeof(column->missing));
    words_add(&words, "%s", places->guest);
    words_line(&words, places, NULL, column->command, sizeof(column->command));
    words_done(&words);
}

void column_of_peer(const char *name_or_command, const struct places *places,
                    struct column *ret_column)
{
    const struct peer *peer = peer_find(name_or_command);

    memset(ret_column, 0, sizeof(*ret_column));
    ret_column->level = -1;
    if (peer)
        column_of_preset(peer, places, ret_column);
    else
        column_of_command(name_or_command, places, ret_column);
}

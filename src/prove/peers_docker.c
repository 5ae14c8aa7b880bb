/*
 * docker, as in docker-run(1): with default flags, and hardened.
 *
 * `docker run` starts images only: one is made from a root with the guest in it, for each preset
 * and world, and removed again with its containers. The daemon decides where everything lies; this
 * caller only asks it.
 */
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "prove/peers_parts.h"

/* A container outlives `docker run` when that is killed: as many are removed as one command line
 * holds, and again. */
#define CONTAINERS_AT_ONCE 64
#define REMOVALS_MAX       16

void docker_lacks(char *ret_why, size_t size)
{
    struct words words = {0};
    struct tool_said said = {0};
    char line[96];

    words_add_flags(&words, "docker version --format {{.Server.Version}}");
    int r = tool_run(&words, &said);
    words_done(&words);
    tool_line(said.err, line, sizeof(line));
    if (r < 0)
        (void)snprintf(ret_why, size, "cannot be started: %s", strerror(-r));
    else if (said.status != 0 && strstr(said.err, "permission denied"))
        (void)snprintf(ret_why, size,
                       "the daemon refuses this caller: join the group docker (as good as root)");
    else if (said.status != 0 && strstr(said.err, "daemon running"))
        (void)snprintf(ret_why, size,
                       "no daemon answers: start it (systemctl start docker, or dockerd)");
    else if (said.status != 0)
        (void)snprintf(ret_why, size, "no daemon answers: %s", line);
}

/* ---- The image. ---- */

/* Runs the words and clears them. 0, or -errno with @why: @step and what the tool says. */
static int do_step(struct words *words, const char *step, char *why, size_t why_size)
{
    struct tool_said said = {0};
    char line[96];
    int r = tool_run(words, &said);

    words_done(words);
    if (r == 0 && said.status == 0)
        return 0;
    tool_line(said.err, line, sizeof(line));
    (void)snprintf(why, why_size, "%s failed: %s", step, r < 0 ? strerror(-r) : line);
    return r < 0 ? r : -ENOTSUP;
}

static int prepare(const char *name, const struct places *places, char *why, size_t why_size)
{
    struct words words = {0};
    char id[PEER_ID_SIZE];
    int r = peer_root(places, name, why, why_size);

    if (r < 0)
        return r;
    peer_id(places, name, id);
    words_add_flags(&words, "tar --create --numeric-owner --owner=0 --group=0");
    words_add(&words, "--directory=%s/%s/rootfs", places->directory, name);
    words_add(&words, "--file=%s/%s/image.tar", places->directory, name);
    words_add_flags(&words, ".");
    r = do_step(&words, "tar", why, why_size);
    if (r < 0)
        return r;
    words_add_flags(&words, "docker import");
    words_add(&words, "%s/%s/image.tar", places->directory, name);
    words_add(&words, "%s", id);
    r = do_step(&words, "`docker import`", why, why_size);
    return r == 0 ? peer_try(name, places, why, why_size) : r;
}

/* Whether there were any containers of the image. */
static bool remove_containers(const char *id)
{
    struct words words = {0};
    struct tool_said said = {0};
    size_t count = 0;

    words_add_flags(&words, "docker ps --all --quiet");
    words_add(&words, "--filter=ancestor=%s", id);
    int r = tool_run(&words, &said);
    words_done(&words);
    words_add_flags(&words, "docker rm --force");
    for (const char *at = said.out; r == 0 && *at != '\0' && count < CONTAINERS_AT_ONCE; count++) {
        size_t length = strcspn(at, "\n");
        words_add(&words, "%.*s", (int)length, at);
        at += length + (at[length] == '\n');
    }
    if (count > 0)
        r = tool_run(&words, &said);
    words_done(&words);
    return r == 0 && count > 0;
}

static void forget(const char *name, const struct places *places)
{
    struct words words = {0};
    struct tool_said said;
    char id[PEER_ID_SIZE];

    peer_id(places, name, id);
    for (int i = 0; i < REMOVALS_MAX && remove_containers(id); i++)
        ;
    words_add_flags(&words, "docker rmi --force");
    words_add(&words, "%s", id);
    (void)tool_run(&words, &said); /* there is none where prepare() came not so far */
    words_done(&words);
}

/* ---- The presets. ---- */

int docker_prepare(const struct places *places, char *why, size_t why_size)
{
    return prepare("docker", places, why, why_size);
}

/* What one has who types no flag: --rm cleans up behind it, --interactive hands the input on. */
void docker_wrap(const struct places *places, struct words *words)
{
    char id[PEER_ID_SIZE];

    peer_id(places, "docker", id);
    words_add_flags(words, "docker run --rm --interactive");
    words_add(words, "%s", id);
    words_add_flags(words, "/guest");
}

void docker_forget(const struct places *places)
{
    forget("docker", places);
}

int docker_hardened_prepare(const struct places *places, char *why, size_t why_size)
{
    return prepare("docker-hardened", places, why, why_size);
}

/* The line that guides to hardening give. --memory alone lets as much swap again (docker-run(1),
 * --memory-swap). */
void docker_hardened_wrap(const struct places *places, struct words *words)
{
    char id[PEER_ID_SIZE];

    peer_id(places, "docker-hardened", id);
    words_add_flags(words, "docker run --rm --interactive --network none --read-only");
    words_add(words, "--tmpfs");
    words_add(words, "/tmp:size=%um", PEER_TMP_MIB);
    words_add(words, "--memory");
    words_add(words, "%um", PEER_MEMORY_MIB);
    words_add_flags(words, "--cpus 1 --pids-limit");
    words_add(words, "%u", PEER_PROCESSES);
    words_add_flags(words, "--cap-drop ALL --security-opt no-new-privileges --volume");
    words_add(words, "%s/docker-hardened/work:/work", places->directory);
    words_add_flags(words, "--workdir /work");
    words_add(words, "%s", id);
    words_add_flags(words, "/guest");
}

void docker_hardened_forget(const struct places *places)
{
    forget("docker-hardened", places);
}

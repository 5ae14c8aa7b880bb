/*
 * runc and crun: a bundle of a root and a config.json (config.md of the OCI runtime specification
 * 1.0).
 *
 * The configuration is what the tool's own `spec` writes, made as narrow as L6: no capability, all
 * namespaces, host uids of its own, limits, and every tmpfs with a size and a number of files.
 * Neither tool brings a system-call filter, so none is added.
 */
#include <errno.h>
#include <jansson.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "prove/peers_parts.h"

/* An ordinary user's container has no control group: only one that systemd delegates could be used.
 * */
uint32_t oci_unclaimed(void)
{
    return geteuid() == 0 ? 0 : CLAIM(CPUS) | CLAIM(MEMORY);
}

static void path_of(const struct places *places, const char *tool, const char *name,
                    char ret_path[PEER_PATH_SIZE])
{
    (void)snprintf(ret_path, PEER_PATH_SIZE, "%s/%s/%s", places->directory, tool, name);
}

/* ---- The configuration. ---- */

static int narrow_process(json_t *process, bool is_root)
{
    unsigned id = is_root ? PEER_NOBODY
                          : 0; /* an ordinary user has one uid to map, and the tools map it to 0 */
    json_t *narrow =
        json_pack("{s:b, s:s, s:[s], s:{s:i, s:i}, s:b, s:{s:[], s:[], s:[], s:[], s:[]}}",
                  "terminal", 0, "cwd", "/work", "env", "PATH=/usr/bin", "user", "uid", (int)id,
                  "gid", (int)id, "noNewPrivileges", 1, "capabilities", "bounding", "effective",
                  "permitted", "inheritable", "ambient");
    int r = json_object_update(process, narrow);

    json_decref(narrow);
    return r;
}

/* A tmpfs of `spec` has a size, or none, but no number of files. */
static int count_files(json_t *mounts)
{
    size_t index = 0;
    json_t *mount = NULL;
    int r = 0;

    json_array_foreach(mounts, index, mount)
    {
        const char *type = json_string_value(json_object_get(mount, "type"));

        if (type && strcmp(type, "tmpfs") == 0)
            r |= json_array_append_new(json_object_get(mount, "options"),
                                       json_sprintf("nr_inodes=%u", PEER_TMP_FILES));
    }
    return r;
}

static json_t *tmpfs(const char *where, unsigned mib, unsigned files)
{
    return json_pack("{s:s, s:s, s:s, s:[s, s, s, o, o]}", "destination", where, "type", "tmpfs",
                     "source", "tmpfs", "options", "nosuid", "nodev", "mode=1777",
                     json_sprintf("size=%um", mib), json_sprintf("nr_inodes=%u", files));
}

static int narrow_mounts(json_t *mounts)
{
    int r = count_files(mounts);

    r |= json_array_append_new(mounts, json_pack("{s:s, s:s, s:s, s:[s, s, s, s]}", "destination",
                                                 "/usr", "type", "bind", "source", "/usr",
                                                 "options", "rbind", "ro", "nosuid", "nodev"));
    r |= json_array_append_new(mounts, tmpfs("/tmp", PEER_TMP_MIB, PEER_TMP_FILES));
    r |= json_array_append_new(mounts, tmpfs("/work", PEER_WORK_MIB, PEER_WORK_FILES));
    return r;
}

static json_t *all_namespaces(void)
{
    return json_pack("[{s:s}, {s:s}, {s:s}, {s:s}, {s:s}, {s:s}, {s:s}]", "type", "pid", "type",
                     "network", "type", "ipc", "type", "uts", "type", "mount", "type", "cgroup",
                     "type", "user");
}

static json_t *own_uids(void)
{
    return json_pack("[{s:i, s:I, s:i}]", "containerID", 0, "hostID", (json_int_t)PEER_FIRST_UID,
                     "size", (int)PEER_UID_COUNT);
}

/* What the control groups keep. Memory and swap together are as much as memory: no swap. */
static int limit_groups(json_t *resources)
{
    json_int_t memory = (json_int_t)(PEER_MEMORY_MIB * PEER_MIB);
    json_t *limits =
        json_pack("{s:{s:I, s:I}, s:{s:i, s:i, s:o}, s:{s:i}}", "memory", "limit", memory, "swap",
                  memory, "cpu", "quota", 100000, "period", 100000, "cpus",
                  json_sprintf("%u", peer_first_cpu()), "pids", "limit", (int)PEER_PROCESSES);
    int r = json_object_update(resources, limits);

    json_decref(limits);
    return r;
}

int oci_narrow(json_t *config, bool is_root)
{
    json_t *machine = json_object_get(config, "linux");
    int r = narrow_process(json_object_get(config, "process"), is_root);

    r |= narrow_mounts(json_object_get(config, "mounts"));
    r |= json_object_set_new(config, "hostname", json_string("sandbox"));
    r |= json_object_set_new(json_object_get(config, "root"), "readonly", json_true());
    r |= json_object_set_new(machine, "namespaces", all_namespaces());
    if (is_root) {
        r |= json_object_set_new(machine, "uidMappings", own_uids());
        r |= json_object_set_new(machine, "gidMappings", own_uids());
        r |= limit_groups(json_object_get(machine, "resources"));
    }
    return r == 0 ? 0 : -EINVAL;
}

static int add_limit(json_t *limits, const char *type, unsigned long long value)
{
    return json_array_append_new(limits, json_pack("{s:s, s:I, s:I}", "type", type, "soft",
                                                   (json_int_t)value, "hard", (json_int_t)value));
}

int oci_set_attack(json_t *config, const struct places *places, char *const *guest_words,
                   bool is_root)
{
    json_t *process = json_object_get(config, "process");
    json_t *args = json_pack("[s]", "/guest");
    json_t *limits = json_array();
    int r = add_limit(limits, "RLIMIT_CPU", peer_cpu_seconds(places));

    for (size_t i = 0; guest_words[i]; i++)
        r |= json_array_append_new(args, json_string(guest_words[i]));
    r |= add_limit(limits, "RLIMIT_FSIZE", PEER_FILE_MIB * PEER_MIB);
    r |= add_limit(limits, "RLIMIT_NOFILE", PEER_OPEN_FILES);
    r |= add_limit(limits, "RLIMIT_CORE", 0);
    if (!is_root)
        r |= add_limit(limits, "RLIMIT_NPROC",
                       PEER_PROCESSES); /* what the pids group keeps for root */
    r |= json_object_set_new(process, "args", args);
    r |= json_object_set_new(process, "rlimits", limits);
    return r == 0 ? 0 : -EINVAL;
}

/* ---- The bundle. ---- */

static int write_spec(const struct places *places, const char *tool, char *why, size_t why_size)
{
    struct words words = {0};
    struct tool_said said = {0};
    char path[PEER_PATH_SIZE];

    path_of(places, tool, "config.json", path);
    (void)unlink(path); /* `spec` does not replace one */
    words_add(&words, "%s", tool);
    words_add_flags(&words, geteuid() == 0 ? "spec --bundle" : "spec --rootless --bundle");
    words_add(&words, "%s/%s", places->directory, tool);
    int r = tool_run(&words, &said);
    words_done(&words);
    if (r < 0 || said.status != 0) {
        char line[96];

        tool_line(said.err, line, sizeof(line));
        (void)snprintf(why, why_size, "`%s spec` failed: %s", tool, r < 0 ? strerror(-r) : line);
        return r < 0 ? r : -ENOTSUP;
    }
    json_t *config = json_load_file(path, 0, NULL);
    r = config ? oci_narrow(config, geteuid() == 0) : -EINVAL;
    if (r == 0 && json_dump_file(config, path, JSON_INDENT(2)) < 0)
        r = -EIO;
    json_decref(config);
    if (r < 0)
        (void)snprintf(why, why_size, "what `%s spec` wrote could not be used", tool);
    return r;
}

static int prepare(const char *tool, const struct places *places, char *why, size_t why_size)
{
    int r = peer_root(places, tool, why, why_size);

    if (r == 0)
        r = write_spec(places, tool, why, why_size);
    return r == 0 ? peer_try(tool, places, why, why_size) : r;
}

/* A container outlives its tool when that is killed. @name and state of the last one would be in
 * the way. */
static void forget(const char *tool, const struct places *places)
{
    struct words words = {0};
    struct tool_said said;
    char id[PEER_ID_SIZE];
    char path[PEER_PATH_SIZE];

    peer_id(places, tool, id);
    (void)snprintf(path, sizeof(path), "%s/%s/state/%s", places->directory, tool, id);
    if (access(path, F_OK) < 0)
        return;
    words_add(&words, "%s", tool);
    words_add(&words, "--root=%s/%s/state", places->directory, tool);
    words_add_flags(&words, "delete --force");
    words_add(&words, "%s", id);
    (void)tool_run(&words, &said); /* what it leaves is seen by the next run */
    words_done(&words);
}

static int write_words(const char *tool, const struct places *places, char *const *guest_words)
{
    char path[PEER_PATH_SIZE];

    forget(tool, places);
    path_of(places, tool, "config.json", path);
    json_t *config = json_load_file(path, 0, NULL);
    if (!config)
        return -EINVAL;
    int r = oci_set_attack(config, places, guest_words, geteuid() == 0);
    if (r == 0 && json_dump_file(config, path, JSON_INDENT(2)) < 0)
        r = -EIO;
    json_decref(config);
    return r;
}

static void wrap(const char *tool, const struct places *places, struct words *words)
{
    char id[PEER_ID_SIZE];

    peer_id(places, tool, id);
    words_add(words, "%s", tool);
    words_add(words, "--root=%s/%s/state", places->directory, tool);
    words_add_flags(words, "run");
    words_add(words, "--bundle=%s/%s", places->directory, tool);
    words_add(words, "%s", id);
}

int runc_prepare(const struct places *places, char *why, size_t why_size)
{
    return prepare("runc", places, why, why_size);
}

void runc_wrap(const struct places *places, struct words *words)
{
    wrap("runc", places, words);
}

void runc_forget(const struct places *places)
{
    forget("runc", places);
}

int runc_write_words(const struct places *places, char *const *guest_words)
{
    return write_words("runc", places, guest_words);
}

/* crun 1.8 starts nothing where the version 2 tree beside version 1 has a controller ("hybrid
 * mode"), whatever its --cgroup-manager (measured). */
int crun_prepare(const struct places *places, char *why, size_t why_size)
{
    return prepare("crun", places, why, why_size);
}

void crun_wrap(const struct places *places, struct words *words)
{
    wrap("crun", places, words);
}

void crun_forget(const struct places *places)
{
    forget("crun", places);
}

int crun_write_words(const struct places *places, char *const *guest_words)
{
    return write_words("crun", places, guest_words);
}

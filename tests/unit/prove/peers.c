/*
 * Claims about the presets of other sandboxes: prove/wrapper.h, prove/peers_parts.h. No sandbox is started: tools are
 * stand-ins, scripts in a directory that is all of PATH.
 */
/* cmocka.h needs the three before it. */
/* clang-format off */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>
/* clang-format on */

#include <errno.h>
#include <fcntl.h>
#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "linux/tree.h"
#include "prove/peers_parts.h"

static const struct places example = {.berm = "/usr/bin/berm",
                                      .guest = "/tmp/world-1/guest",
                                      .directory = "/tmp/world-1",
                                      .work = "/tmp/world-1/project",
                                      .result_fd = -1,
                                      .wall_ms = 8000};

/* ---- Words. ---- */

static void words_are_made_by_format_and_end_with_null(void **state)
{
    struct words words = {0};

    (void)state;
    words_add(&words, "--size=%u", 64u);
    words_add(&words, "%s", "a word with blanks");
    words_add_flags(&words, " --one  --two ");
    assert_int_equal(words.count, 4);
    assert_string_equal(words.items[0], "--size=64");
    assert_string_equal(words.items[1], "a word with blanks");
    assert_string_equal(words.items[2], "--one");
    assert_string_equal(words.items[3], "--two");
    assert_null(words.items[4]);
    words_done(&words);
    assert_int_equal(words.count, 0);
    assert_null(words.items[0]);
}

static void a_command_is_split_at_blanks_and_quotes_are_honoured(void **state)
{
    static const struct {
        const char *command, *words[4];
    } cases[] = {
        {"env",                           {"env"}                            },
        {"  env\t-i \n",                  {"env", "-i"}                      },
        {"run 'a b' \"c  d\"",            {"run", "a b", "c  d"}             },
        {"x'y z'w \"it's\"",              {"xy zw", "it's"}                  },
        {"run '' \"\" end",               {"run", "", "", "end"}             },
        {"back\\\\slash $HOME * ~a",      {"back\\slash", "$HOME", "*", "~a"}},
        {"sh -c \"exec \\\"\\$@\\\"\" x", {"sh", "-c", "exec \"$@\"", "x"}   },
        {"'a\\b' \"c\\d\" e\\ f",         {"a\\b", "c\\d", "e f"}            },
    };

    (void)state;
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        struct words words = {0};
        size_t count = 0;

        assert_int_equal(words_of_command(cases[i].command, &words), 0);
        for (; count < 4 && cases[i].words[count]; count++)
            assert_string_equal(words.items[count], cases[i].words[count]);
        assert_int_equal(words.count, count);
        assert_null(words.items[count]);
        words_done(&words);
    }
}

static void an_open_quote_is_refused_and_adds_no_word(void **state)
{
    struct words words = {0};

    (void)state;
    words_add(&words, "first");
    assert_int_equal(words_of_command("a b 'c d", &words), -EINVAL);
    assert_int_equal(words.count, 1);
    assert_null(words.items[1]);
    assert_int_equal(words_of_command("a \"", &words), -EINVAL);
    assert_int_equal(words.count, 1);
    words_done(&words);
}

static void a_command_leaves_room_for_the_words_of_an_attack(void **state)
{
    char command[2 * WRAPPER_WORDS_MAX + 1];
    size_t room = WRAPPER_WORDS_MAX - ATTACK_WORDS_MAX - 4;
    struct words words = {0};

    (void)state;
    for (size_t i = 0; i < sizeof(command) - 1; i++)
        command[i] = i % 2 == 0 ? 'a' : ' ';
    command[sizeof(command) - 1] = '\0';
    assert_int_equal(words_of_command(command, &words), -E2BIG);
    assert_int_equal(words.count, 0);
    command[2 * room] = '\0';
    assert_int_equal(words_of_command(command, &words), 0);
    /* The guest, `hold`, the tag and the attack. */
    assert_true(words.count + ATTACK_WORDS_MAX + 3 < WRAPPER_WORDS_MAX);
    words_done(&words);
}

static void a_line_names_temporary_paths_and_quotes_what_a_shell_would_change(void **state)
{
    struct words words = {0};
    char line[256];
    char tight[16];

    (void)state;
    words_add_flags(&words,
                    "run --bind /tmp/world-1/guest:/guest /tmp/world-1/project /tmp/world-1/x");
    words_add_flags(&words, "/tmp/world-10/x --name=id-1f-2e id-1fz");
    words_add(&words, "a b");
    words_add(&words, "%s", "");
    words_line(&words, &example, "id", line, sizeof(line));
    assert_string_equal(
        line, "run --bind GUEST:/guest WORK DIR/x /tmp/world-10/x --name=NAME id-1fz 'a b' ''");
    words_line(&words, &example, "id", tight, sizeof(tight));
    assert_string_equal(tight, "run --bind G...");
    words_done(&words);
}

/* ---- The table. ---- */

static void each_preset_is_found_by_its_name_and_by_no_other(void **state)
{
    (void)state;
    assert_int_equal(prove_peer_count, 9);
    for (size_t i = 0; i < prove_peer_count; i++)
        assert_ptr_equal(peer_find(prove_peers[i].name), &prove_peers[i]);
    assert_null(peer_find("env"));
    assert_null(peer_find(""));
    assert_null(peer_find("bwrap "));
}

static void each_preset_says_what_it_is(void **state)
{
    (void)state;
    for (size_t i = 0; i < prove_peer_count; i++) {
        const struct peer *peer = &prove_peers[i];

        assert_true(strlen(peer->name) < sizeof(((struct column *)0)->name));
        assert_non_null(peer->title);
        assert_int_equal(peer->note[strlen(peer->note) - 1], '.');
        assert_non_null(peer->wrap);
        assert_non_null(
            peer->prepare); /* a tool that cannot start anything is found before the first attack */
        assert_int_equal(peer->claims & ~((1u << TOPIC_COUNT) - 1), 0);
    }
}

static void no_preset_goes_through_a_shell(void **state)
{
    (void)state;
    for (size_t i = 0; i < prove_peer_count; i++) {
        struct words words = {0};

        prove_peers[i].wrap(&example, &words);
        assert_string_equal(words.items[0], prove_peers[i].program);
        assert_true(words.count + ATTACK_WORDS_MAX + 3 < WRAPPER_WORDS_MAX);
        for (size_t n = 0; n < words.count; n++) {
            assert_string_not_equal(words.items[n], "sh");
            assert_string_not_equal(words.items[n], "-c");
        }
        words_done(&words);
    }
}

static void words_of_an_attack_follow_the_guest_or_go_into_a_file(void **state)
{
    (void)state;
    for (size_t i = 0; i < prove_peer_count; i++) {
        struct words words = {0};

        prove_peers[i].wrap(&example, &words);
        const char *last = words.items[words.count - 1];
        bool ends_with_guest = strcmp(last, "/guest") == 0 || strcmp(last, example.guest) == 0;
        assert_int_equal(ends_with_guest, prove_peers[i].write_words == NULL);
        words_done(&words);
    }
}

static bool wraps_differ(const struct peer *peer, const struct places *one,
                         const struct places *other)
{
    struct words words[2] = {{.count = 0}, {.count = 0}};
    char lines[2][4096];

    peer->wrap(one, &words[0]);
    peer->wrap(other, &words[1]);
    for (size_t i = 0; i < 2; i++) {
        char id[PEER_ID_SIZE];

        peer_id(&example, peer->name, id);
        words_line(&words[i], &example, id, lines[i], sizeof(lines[i]));
        words_done(&words[i]);
    }
    return strcmp(lines[0], lines[1]) != 0;
}

static void who_claims_the_wall_clock_is_told_it_and_nobody_else_is(void **state)
{
    struct places longer = example;

    (void)state;
    longer.wall_ms = 3 * example.wall_ms;
    for (size_t i = 0; i < prove_peer_count; i++) {
        struct column column;

        column_of_peer(prove_peers[i].name, &example, &column);
        assert_int_equal(wraps_differ(&prove_peers[i], &example, &longer),
                         (column.claims & CLAIM(TIME)) != 0);
    }
}

static void nobody_claims_what_no_flag_bounds(void **state)
{
    (void)state;
    for (size_t i = 0; i < prove_peer_count; i++)
        assert_int_equal(prove_peers[i].claims & (CLAIM(CPU_TIME) | CLAIM(OUTPUT)), 0);
}

static void limits_are_rounded_up_to_what_a_tool_can_be_told(void **state)
{
    struct places places = example;

    (void)state;
    places.cpu_ms = 1;
    assert_int_equal(peer_cpu_seconds(&places), 1);
    places.cpu_ms = 1001;
    assert_int_equal(peer_cpu_seconds(&places), 2);
    places.cpu_ms = 0;
    places.wall_ms = 0;
    assert_int_equal(peer_cpu_seconds(&places), PEER_CPU_SECONDS);
    assert_int_equal(peer_wall_ms(&places), PEER_WALL_MS);
}

/* ---- Columns. ---- */

static void a_column_shows_no_temporary_path(void **state)
{
    (void)state;
    for (size_t i = 0; i < prove_peer_count; i++) {
        struct column column;

        column_of_peer(prove_peers[i].name, &example, &column);
        assert_string_equal(column.name, prove_peers[i].name);
        assert_true(column.level < 0);
        assert_null(strstr(column.command, example.directory));
        assert_null(strstr(column.command, "berm-prove-"));
        assert_null(strstr(column.command, "...")); /* not cut */
    }
}

static void each_exception_is_of_an_attack_whose_topic_the_preset_claims(void **state)
{
    (void)state;
    for (size_t i = 0; i < peer_exception_count(); i++) {
        const char *peer = NULL;
        const char *attack = NULL;

        peer_exception_at(i, &peer, &attack);
        assert_non_null(peer_find(peer));
        assert_non_null(attack_find(attack));
        assert_true(peer_find(peer)->claims & (1u << attack_find(attack)->topic));
    }
}

static void what_a_manual_is_silent_on_is_not_claimed(void **state)
{
    struct column column = {.name = "bwrap", .claims = CLAIM(ENVIRONMENT)};
    const struct attack variables = {.id = "env-key", .topic = TOPIC_ENVIRONMENT};
    const struct attack descriptors = {.id = "fd-leak", .topic = TOPIC_ENVIRONMENT};
    const struct attack kernel = {.id = "bpf", .topic = TOPIC_KERNEL};

    (void)state;
    assert_true(peer_claims(&column, &variables));
    assert_false(peer_claims(&column, &descriptors));
    assert_false(peer_claims(&column, &kernel));
    assert_null(peer_exception("bwrap", "root-uid", false));
    assert_non_null(peer_exception("bwrap", "root-uid", true));
    assert_null(peer_exception("runc", "root-uid", true));
}

static void a_command_is_its_own_title_and_ends_with_the_guest(void **state)
{
    struct column column;

    (void)state;
    column_of_peer("/usr/bin/env -i 'A=b c'", &example, &column);
    assert_string_equal(column.title, "/usr/bin/env -i 'A=b c'");
    assert_string_equal(column.command, "/usr/bin/env -i 'A=b c' GUEST");
    assert_string_equal(column.missing, "");
    assert_int_equal(column.claims, 0);
    assert_true(column.level < 0);
}

static void a_command_that_begins_as_a_preset_is_not_that_preset(void **state)
{
    struct column column;

    (void)state;
    column_of_peer("bwrap --dev-bind / /", &example, &column);
    assert_null(peer_find(column.name));
    assert_int_equal(column.claims, 0);
    column_of_peer(" bwrap", &example, &column);
    assert_null(peer_find(column.name));
}

static void a_command_that_cannot_be_used_says_why(void **state)
{
    static const struct {
        const char *command, *why;
    } cases[] = {
        {"",                                                                  "empty"          },
        {" \t ",                                                              "empty"          },
        {"env 'open",                                                         "not closed"     },
        {"/no/such/program -x",                                               "no such program"},
        {"env 0123456789012345678901234567890123456789012345678901234567890", "at most 63"     },
    };

    (void)state;
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        struct column column;

        column_of_peer(cases[i].command, &example, &column);
        assert_non_null(strstr(column.missing, cases[i].why));
    }
}

/* ---- Stand-ins for tools. ---- */

struct stage {
    char directory[64], guest[80], path[4096];
    struct places places;
};

static void write_file(const char *path, const char *text, mode_t mode)
{
    int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);

    assert_true(fd >= 0);
    assert_int_equal(write(fd, text, strlen(text)), strlen(text));
    assert_int_equal(fchmod(fd, mode), 0);
    assert_int_equal(close(fd), 0);
}

/* From now on PATH has the stand-in, and nothing else. */
static void stand_in(const struct stage *stage, const char *name, const char *script)
{
    char path[128];
    char text[512];

    (void)snprintf(path, sizeof(path), "%s/%s", stage->directory, name);
    (void)snprintf(text, sizeof(text), "#!/bin/sh\n%s\n", script);
    write_file(path, text, 0755);
    assert_int_equal(setenv("PATH", stage->directory, 1), 0);
}

static int set_stage(void **state)
{
    struct stage *stage = calloc(1, sizeof(*stage));

    if (!stage)
        return -1;
    (void)snprintf(stage->directory, sizeof(stage->directory), "/tmp/berm-unit-peers-XXXXXX");
    (void)snprintf(stage->path, sizeof(stage->path), "%s", getenv("PATH"));
    if (!mkdtemp(stage->directory))
        return -1;
    (void)snprintf(stage->guest, sizeof(stage->guest), "%s/attacker", stage->directory);
    write_file(stage->guest, "the guest", 0755);
    stage->places = example;
    stage->places.directory = stage->directory;
    stage->places.guest = stage->guest;
    *state = stage;
    return 0;
}

static int clear_stage(void **state)
{
    struct stage *stage = *state;

    (void)setenv("PATH", stage->path, 1);
    int r = tree_remove(AT_FDCWD, stage->directory);
    free(stage);
    return r;
}

static void a_tool_that_is_not_installed_is_told_with_its_package(void **state)
{
    const struct stage *stage = *state;
    struct column column;

    assert_int_equal(setenv("PATH", stage->directory, 1), 0);
    for (size_t i = 0; i < prove_peer_count; i++) {
        column_of_peer(prove_peers[i].name, &example, &column);
        assert_ptr_equal(strstr(column.missing, "not installed: apt install "), column.missing);
        assert_string_equal(column.title, prove_peers[i].title);
    }
    column_of_peer("bwrap", &example, &column);
    assert_non_null(strstr(column.missing, "apt install bubblewrap"));
    column_of_peer("nspawn", &example, &column);
    assert_non_null(strstr(column.missing, "apt install systemd-container"));
}

static void a_directory_or_a_file_without_its_bit_is_no_program(void **state)
{
    const struct stage *stage = *state;
    char path[128];

    stand_in(stage, "runc", "exit 0");
    assert_true(tool_is_there("runc"));
    (void)snprintf(path, sizeof(path), "%s/runc", stage->directory);
    assert_true(tool_is_there(path));
    assert_int_equal(unlink(path), 0);
    assert_int_equal(mkdir(path, 0755), 0);
    assert_false(tool_is_there("runc"));
    (void)snprintf(path, sizeof(path), "%s/crun", stage->directory);
    write_file(path, "text", 0644);
    assert_false(tool_is_there("crun"));
}

static void the_version_of_a_tool_stands_in_its_title(void **state)
{
    static const struct {
        const char *name, *program, *says, *title;
    } cases[] = {
        {"bwrap",   "bwrap",          "bubblewrap 0.8.0",                "bubblewrap 0.8.0"         },
        {"nspawn",  "systemd-nspawn", "systemd 252 (252.39-1~deb12u2)",  "systemd-nspawn 252"       },
        {"timeout", "timeout",        "timeout (GNU coreutils) 9.1",     "coreutils timeout 9.1"    },
        {"unshare", "unshare",        "unshare from util-linux 2.38.1",  "util-linux unshare 2.38.1"},
        {"docker",  "docker",         "Docker version 28.2.2, build 1f", "docker run 28.2.2"        },
        {"crun",    "crun",           "no number",                       "crun"                     },
    };
    const struct stage *stage = *state;

    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        struct column column;
        char script[128];

        (void)snprintf(script, sizeof(script), "echo '%s'", cases[i].says);
        stand_in(stage, cases[i].program, script);
        column_of_peer(cases[i].name, &example, &column);
        assert_string_equal(column.title, cases[i].title);
    }
}

static void docker_without_a_daemon_says_how_to_get_one(void **state)
{
    static const struct {
        const char *script, *why;
    } cases[] = {
        {"echo 'Cannot connect to the Docker daemon at unix:///x. Is the docker daemon running?' >&2; exit 1",
         "systemctl start docker"                                                                                              },
        {"echo 'permission denied while trying to connect to the Docker daemon socket' >&2; exit 1",
         "group docker"                                                                                                        },
        {"echo 'something else' >&2; exit 1",                                                                  "something else"},
    };
    const struct stage *stage = *state;
    struct column column;

    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        stand_in(stage, "docker", cases[i].script);
        column_of_peer("docker", &example, &column);
        assert_non_null(strstr(column.missing, cases[i].why));
        column_of_peer("docker-hardened", &example, &column);
        assert_non_null(strstr(column.missing, cases[i].why));
    }
    stand_in(stage, "docker", "echo 1.0");
    column_of_peer("docker", &example, &column);
    assert_string_equal(column.missing, "");
}

static void a_tool_that_starts_nothing_is_found_before_the_first_attack(void **state)
{
    const struct stage *stage = *state;
    char why[128] = "";

    stand_in(stage, "bwrap",
             "printf '\\n\\033[31mno namespaces\\033[0m for you\\nmore\\n' >&2; exit 1");
    assert_int_equal(peer_find("bwrap")->prepare(&stage->places, why, sizeof(why)), -ENOTSUP);
    assert_string_equal(why, "starts nothing here: [31mno namespaces[0m for you");
    stand_in(stage, "bwrap", "exit 3");
    assert_int_equal(peer_find("bwrap")->prepare(&stage->places, why, sizeof(why)), -ENOTSUP);
    assert_string_equal(why, "starts nothing here: exit status 3");
    stand_in(stage, "bwrap", "echo worked");
    assert_int_equal(peer_find("bwrap")->prepare(&stage->places, why, sizeof(why)), 0);
}

static void a_root_has_the_guest_and_its_modes_whatever_the_umask(void **state)
{
    static const struct {
        const char *path;
        mode_t mode;
    } cases[] = {
        {"box",                   S_IFDIR | 0755 },
        {"box/work",              S_IFDIR | 01777},
        {"box/rootfs",            S_IFDIR | 0755 },
        {"box/rootfs/tmp",        S_IFDIR | 01777},
        {"box/rootfs/work",       S_IFDIR | 01777},
        {"box/rootfs/proc",       S_IFDIR | 0755 },
        {"box/rootfs/etc/passwd", S_IFREG | 0644 },
        {"box/rootfs/guest",      S_IFREG | 0755 },
    };
    const struct stage *stage = *state;
    char why[128] = "";
    char path[256];
    struct stat status;
    mode_t old = umask(077);

    /* Twice: a second try finds what the first one left. */
    assert_int_equal(peer_root(&stage->places, "box", why, sizeof(why)), 0);
    assert_int_equal(peer_root(&stage->places, "box", why, sizeof(why)), 0);
    (void)umask(old);
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        (void)snprintf(path, sizeof(path), "%s/%s", stage->directory, cases[i].path);
        assert_int_equal(lstat(path, &status), 0);
        assert_int_equal(status.st_mode, cases[i].mode);
    }
    assert_int_equal(status.st_size, strlen("the guest"));
    assert_int_equal(status.st_nlink,
                     1); /* a program that owns the root must not reach the others' guest */
}

static void a_root_that_cannot_be_made_says_why(void **state)
{
    struct places places = example;
    char why[128] = "";

    (void)state;
    places.directory = "/no/such/directory";
    assert_int_equal(peer_root(&places, "box", why, sizeof(why)), -ENOENT);
    assert_non_null(strstr(why, "/no/such/directory"));
}

static void names_differ_by_world_and_by_preset(void **state)
{
    struct places other = example;
    char ids[4][PEER_ID_SIZE];

    (void)state;
    other.directory = "/tmp/world-2";
    peer_id(&example, "docker", ids[0]);
    peer_id(&example, "docker", ids[1]);
    peer_id(&example, "docker-hardened", ids[2]);
    peer_id(&other, "docker", ids[3]);
    assert_string_equal(ids[0], ids[1]);
    assert_string_not_equal(ids[0], ids[2]);
    assert_string_not_equal(ids[0], ids[3]);
}

/* ---- The configuration of a container: as `runc spec` writes it, cut to what matters. ---- */

static const char spec[] =
    "{'process': {'terminal': true, 'user': {'uid': 0, 'gid': 0}, 'args': ['sh'], 'env': ['PATH=/bin', 'TERM=x'],"
    " 'cwd': '/', 'capabilities': {'bounding': ['CAP_KILL'], 'effective': ['CAP_KILL'], 'permitted': ['CAP_KILL'],"
    " 'ambient': ['CAP_KILL']}, 'noNewPrivileges': false, 'rlimits': []},"
    " 'root': {'path': 'rootfs', 'readonly': false}, 'hostname': 'x',"
    " 'mounts': [{'destination': '/proc', 'type': 'proc', 'source': 'proc'},"
    "            {'destination': '/dev', 'type': 'tmpfs', 'source': 'tmpfs', 'options': ['size=65536k']}],"
    " 'linux': {'resources': {'devices': []}, 'namespaces': [{'type': 'pid'}]}}";

static json_t *narrowed(bool is_root)
{
    char text[sizeof(spec)];

    memcpy(text, spec, sizeof(spec));
    for (char *c = text; *c != '\0'; c++) {
        if (*c == '\'')
            *c = '"';
    }
    json_t *config = json_loads(text, 0, NULL);
    assert_non_null(config);
    assert_int_equal(oci_narrow(config, is_root), 0);
    return config;
}

static bool says(json_t *config, const char *text)
{
    char *all = json_dumps(config, JSON_COMPACT | JSON_SORT_KEYS);
    bool is_there = strstr(all, text) != NULL;

    free(all);
    return is_there;
}

static void a_container_has_no_capability_and_every_namespace(void **state)
{
    static const char *const namespaces[] = {"pid",   "network", "ipc", "uts",
                                             "mount", "cgroup",  "user"};

    (void)state;
    for (int is_root = 0; is_root < 2; is_root++) {
        json_t *config = narrowed(is_root != 0);

        assert_false(says(config, "CAP_"));
        assert_true(says(config, "\"noNewPrivileges\":true"));
        assert_true(says(config, "\"terminal\":false"));
        assert_true(says(config, "\"readonly\":true"));
        assert_true(says(config, "\"env\":[\"PATH=/usr/bin\"]"));
        for (size_t i = 0; i < sizeof(namespaces) / sizeof(namespaces[0]); i++) {
            char text[64];

            (void)snprintf(text, sizeof(text), "{\"type\":\"%s\"}", namespaces[i]);
            assert_true(says(config, text));
        }
        json_decref(config);
    }
}

static void every_tmpfs_of_a_container_has_a_size_and_a_number_of_files(void **state)
{
    size_t index = 0;
    size_t count = 0;
    json_t *mount = NULL;
    json_t *config = narrowed(true);

    (void)state;
    json_array_foreach(json_object_get(config, "mounts"), index, mount)
    {
        if (strcmp(json_string_value(json_object_get(mount, "type")), "tmpfs") != 0)
            continue;
        count++;
        assert_true(says(mount, "\"size="));
        assert_true(says(mount, "\"nr_inodes="));
    }
    assert_int_equal(count, 3);
    json_decref(config);
}

static void roots_container_has_own_uids_and_control_groups_and_a_users_has_neither(void **state)
{
    json_t *roots = narrowed(true);
    json_t *users = narrowed(false);

    (void)state;
    assert_true(
        says(roots, "\"uidMappings\":[{\"containerID\":0,\"hostID\":2000000000,\"size\":65536}]"));
    assert_true(says(roots, "\"memory\":{\"limit\":536870912,\"swap\":536870912}"));
    assert_true(says(roots, "\"pids\":{\"limit\":128}"));
    assert_true(says(roots, "\"quota\":100000"));
    assert_true(says(roots, "\"user\":{\"gid\":65534,\"uid\":65534}"));
    assert_false(says(users, "hostID"));
    assert_false(says(users, "\"pids\""));
    assert_true(says(users, "\"user\":{\"gid\":0,\"uid\":0}"));
    json_decref(roots);
    json_decref(users);
}

static void an_attack_replaces_the_words_and_the_limits_of_the_last_one(void **state)
{
    char dump[] = "dump";
    char hostile[] = "a \"b\"\n$(c)";
    char *const first[] = {dump, hostile, NULL};
    char *const second[] = {dump, NULL};
    struct places places = example;
    json_t *config = narrowed(false);

    (void)state;
    places.cpu_ms = 1500;
    assert_int_equal(oci_set_attack(config, &places, first, false), 0);
    assert_true(says(config, "\"args\":[\"/guest\",\"dump\",\"a \\\"b\\\"\\n$(c)\"]"));
    assert_true(says(config, "{\"hard\":2,\"soft\":2,\"type\":\"RLIMIT_CPU\"}"));
    assert_true(says(config, "RLIMIT_NPROC"));
    places.cpu_ms = 0;
    assert_int_equal(oci_set_attack(config, &places, second, true), 0);
    assert_true(says(config, "\"args\":[\"/guest\",\"dump\"]"));
    assert_true(says(config, "{\"hard\":30,\"soft\":30,\"type\":\"RLIMIT_CPU\"}"));
    assert_false(says(config, "\"hard\":2,"));
    assert_false(says(config, "RLIMIT_NPROC"));
    json_decref(config);
}

static void a_configuration_without_the_parts_that_are_narrowed_is_refused(void **state)
{
    json_t *config = json_pack("{s:{}}", "process");

    (void)state;
    assert_int_equal(oci_narrow(config, true), -EINVAL);
    json_decref(config);
}

#define ON_STAGE(test) cmocka_unit_test_setup_teardown(test, set_stage, clear_stage)

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(words_are_made_by_format_and_end_with_null),
        cmocka_unit_test(a_command_is_split_at_blanks_and_quotes_are_honoured),
        cmocka_unit_test(an_open_quote_is_refused_and_adds_no_word),
        cmocka_unit_test(a_command_leaves_room_for_the_words_of_an_attack),
        cmocka_unit_test(a_line_names_temporary_paths_and_quotes_what_a_shell_would_change),
        cmocka_unit_test(each_preset_is_found_by_its_name_and_by_no_other),
        cmocka_unit_test(each_preset_says_what_it_is),
        cmocka_unit_test(no_preset_goes_through_a_shell),
        cmocka_unit_test(words_of_an_attack_follow_the_guest_or_go_into_a_file),
        cmocka_unit_test(who_claims_the_wall_clock_is_told_it_and_nobody_else_is),
        cmocka_unit_test(nobody_claims_what_no_flag_bounds),
        cmocka_unit_test(limits_are_rounded_up_to_what_a_tool_can_be_told),
        cmocka_unit_test(a_column_shows_no_temporary_path),
        cmocka_unit_test(each_exception_is_of_an_attack_whose_topic_the_preset_claims),
        cmocka_unit_test(what_a_manual_is_silent_on_is_not_claimed),
        cmocka_unit_test(a_command_is_its_own_title_and_ends_with_the_guest),
        cmocka_unit_test(a_command_that_begins_as_a_preset_is_not_that_preset),
        cmocka_unit_test(a_command_that_cannot_be_used_says_why),
        ON_STAGE(a_tool_that_is_not_installed_is_told_with_its_package),
        ON_STAGE(a_directory_or_a_file_without_its_bit_is_no_program),
        ON_STAGE(the_version_of_a_tool_stands_in_its_title),
        ON_STAGE(docker_without_a_daemon_says_how_to_get_one),
        ON_STAGE(a_tool_that_starts_nothing_is_found_before_the_first_attack),
        ON_STAGE(a_root_has_the_guest_and_its_modes_whatever_the_umask),
        cmocka_unit_test(a_root_that_cannot_be_made_says_why),
        cmocka_unit_test(names_differ_by_world_and_by_preset),
        cmocka_unit_test(a_container_has_no_capability_and_every_namespace),
        cmocka_unit_test(every_tmpfs_of_a_container_has_a_size_and_a_number_of_files),
        cmocka_unit_test(roots_container_has_own_uids_and_control_groups_and_a_users_has_neither),
        cmocka_unit_test(an_attack_replaces_the_words_and_the_limits_of_the_last_one),
        cmocka_unit_test(a_configuration_without_the_parts_that_are_narrowed_is_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

/*
 * What the files of the presets share. Nobody else includes this.
 *
 * A preset gives its tool the flags that come nearest to berm's L6 with the limits of the profile
 * `standard`, as far as the tool has a flag for it. `claims` of a preset follows one rule: a topic
 * is claimed when the manual of the flags in use says that they bound it. A limit of each process
 * is none of all processes together; an affinity that the program may change is no bound. Where the
 * manual is silent on a part of a topic, peers_claims.c takes the attack out.
 */
#ifndef BERM_PROVE_PEERS_PARTS_H
#define BERM_PROVE_PEERS_PARTS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "prove/wrapper.h"

#define CLAIM(topic) (1u << TOPIC_##topic)

/* The profile `standard`; what a tool cannot be told is left out. */
#define PEER_WALL_MS     30000u
#define PEER_CPU_SECONDS 30u
#define PEER_MEMORY_MIB  512u
#define PEER_FILE_MIB    64u
#define PEER_OPEN_FILES  1024u
#define PEER_PROCESSES   128u
#define PEER_TMP_MIB     64u
#define PEER_TMP_FILES   16384u
#define PEER_WORK_MIB    256u
#define PEER_WORK_FILES  65536u
#define PEER_MIB         (1ull << 20)

/* Where a tool can give the program host uids of its own: a range that useradd does not hand out
 * (login.defs(5), SUB_UID_MAX). */
#define PEER_FIRST_UID 2000000000u
#define PEER_UID_COUNT 65536u
#define PEER_NOBODY    65534u

#define PEER_ID_SIZE   48
#define PEER_PATH_SIZE 1024

/* Why a preset does not claim this attack of a topic that it claims; NULL: it does. */
const char *peer_exception(const char *peer, const char *attack, bool is_root);

/* For the check that both names of each exception are there. */
size_t peer_exception_count(void);
void peer_exception_at(size_t index, const char **ret_peer, const char **ret_attack);

/* ---- Words (peers_words.c). ---- */

/* Words without quotes, as written in the source, by blanks. */
void words_add_flags(struct words *words, const char *flags);

/* One line for a person: quoted where a shell needs it, temporary paths as GUEST, WORK and DIR, @id
 * as NAME. */
void words_line(const struct words *words, const struct places *places, const char *id,
                char *ret_line, size_t size);

/* ---- Limits of this attack, and names of this world (peers_root.c). ---- */

unsigned peer_wall_ms(const struct places *places);
unsigned peer_cpu_seconds(const struct places *places);

/* The first CPU that the caller may use: one CPU for a tool that wants its number. */
unsigned peer_first_cpu(void);

/* A name for images, containers and machines: the same for one peer in one world, different from
 * all others. */
void peer_id(const struct places *places, const char *name, char ret_id[static PEER_ID_SIZE]);

/* DIR/NAME/rootfs with the guest, mount points and a minimal /etc, and DIR/NAME/work, empty,
 * writable for everybody. 0, or -errno with @why. */
int peer_root(const struct places *places, const char *name, char *why, size_t why_size);

/* ---- Starting a tool (peers_tool.c). ---- */

struct tool_said {
    char out[4096]; /* the beginning of each stream, NUL-terminated */
    char err[1024];
    int status; /* exit status, or 128 and the signal */
};

/* Run to the end, without input; one that hangs is killed. 0 or -errno: it could not be started. */
int tool_run(const struct words *words, struct tool_said *ret_said);

/* Is the program a path to an executable, or in PATH? */
bool tool_is_there(const char *program);

/* What `PROGRAM --version` says; "" when it says none. */
void tool_version(const char *program, char *ret_version, size_t size);

/* The first line that says something, without control characters. */
void tool_line(const char *text, char *ret_line, size_t size);

/* Start the guest once as an attack would be started. 0, or -ENOTSUP with the tool's own words in
 * @why. */
int peer_try(const char *name, const struct places *places, char *why, size_t why_size);

/* ---- The presets. ---- */

int bwrap_prepare(const struct places *places, char *why, size_t why_size);
void bwrap_wrap(const struct places *places, struct words *words);

int firejail_prepare(const struct places *places, char *why, size_t why_size);
void firejail_wrap(const struct places *places, struct words *words);

int unshare_prepare(const struct places *places, char *why, size_t why_size);
void unshare_wrap(const struct places *places, struct words *words);

int timeout_prepare(const struct places *places, char *why, size_t why_size);
void timeout_wrap(const struct places *places, struct words *words);

int nspawn_prepare(const struct places *places, char *why, size_t why_size);
void nspawn_wrap(const struct places *places, struct words *words);
void nspawn_forget(const struct places *places);
uint32_t nspawn_unclaimed(void);
void nspawn_lacks(char *ret_why, size_t size);

int runc_prepare(const struct places *places, char *why, size_t why_size);
void runc_wrap(const struct places *places, struct words *words);
void runc_forget(const struct places *places);
int runc_write_words(const struct places *places, char *const *guest_words);
int crun_prepare(const struct places *places, char *why, size_t why_size);
void crun_wrap(const struct places *places, struct words *words);
void crun_forget(const struct places *places);
int crun_write_words(const struct places *places, char *const *guest_words);
uint32_t oci_unclaimed(void);

/* What `runc spec` wrote becomes as narrow as L6. @config borrows. 0 or -EINVAL. */
struct json_t;
int oci_narrow(struct json_t *config, bool is_root);

/* The words of an attack and its limits. @config borrows. 0 or -EINVAL. */
int oci_set_attack(struct json_t *config, const struct places *places, char *const *guest_words,
                   bool is_root);

int docker_prepare(const struct places *places, char *why, size_t why_size);
void docker_wrap(const struct places *places, struct words *words);
void docker_forget(const struct places *places);
int docker_hardened_prepare(const struct places *places, char *why, size_t why_size);
void docker_hardened_wrap(const struct places *places, struct words *words);
void docker_hardened_forget(const struct places *places);
void docker_lacks(char *ret_why, size_t size);

#endif

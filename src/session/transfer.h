/*
 * Files in and out of a work directory. The only code of berm that opens names which a program chose.
 *
 * In: descriptors of directories, names. Out: copies. Must never: resolve a name of the work directory by anything
 * but openat2(2) below its descriptor, open what is not a regular file, or act there with other rights than those
 * of the program: every access is made as the owner (setfsuid(2)), so that a helper that is tricked all the same
 * reads and writes only what the program itself could.
 */
#ifndef BERM_SESSION_TRANSFER_H
#define BERM_SESSION_TRANSFER_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/stat.h>

#include <berm/berm.h>

/* A work directory, as src/run or the keeper hands it out. All descriptors are borrowed. */
struct workspace_dir {
    int work_fd; /* the directory that the program sees as its work directory */
    int staging_fd; /* on the same mount, not seen by the program: drafts are made there as the owner, so it is
                     * his; negative = none */
    uint32_t uid; /* of the host, as whom the program acts on files; may be the caller's own */
    uint32_t gid;
};

/* What may be transferred. The rest is refused, or cut where it grew meanwhile, and always said. */
struct transfer_caps {
    uint64_t file_bytes;  /* each file */
    uint64_t total_bytes; /* all files of one command together */
    uint64_t files;       /* their number */
};

/* What one command has transferred so far: begun with zeros. */
struct transfer_used {
    uint64_t bytes, files;
};

/* Both, for one command. */
struct transfer_account {
    struct transfer_caps caps;
    struct transfer_used used;
};

/* What goes in. */
struct transfer_source {
    int fd; /* borrowed: a regular file, a pipe or a socket, read from where it stands to its end */
    mode_t mode; /* permission bits of the copy; set-id and sticky bits are dropped */
};

/* What became of one file. */
struct transfer_report {
    uint64_t bytes; /* that were copied */
    bool is_cut;    /* it grew past a cap while it was copied: the rest is missing */
};

/* A place of the caller's for a file that comes out. */
struct transfer_place {
    int stream_fd;    /* not negative: bytes are written there, nothing is replaced */
    int dir_fd;       /* else: a directory of the caller's, AT_FDCWD allowed, ... */
    const char *name; /* ... and one name in it (no slash): replaced, never through a link */
};

/**
 * Copy a file of the caller's into the work directory.
 *
 * @name   in the work directory: relative, "/" between names, no "..", "." or empty name. Directories on the way
 *         are made (0755 less the umask), and stay when the rest fails. A regular file of that name is replaced
 *         atomically, anything else there is refused.
 * @source borrows. A file that would pass a cap is refused; a stream that passes it is refused and nothing stays.
 * @account counted up on success.
 * Returns 0, or -errno with @err filled (what, which file, why, the cure).
 * A kill leaves at most a draft in the staging directory.
 * Threads: changes the file-system ids of the calling thread for its time.  Since: 0.1.
 * Source: openat2(2), setfsuid(2), rename(2).  Test: unit/session/transfer, truth/test_files.
 */
int transfer_in(const struct workspace_dir *dir, const char *name,
                const struct transfer_source *source, struct transfer_account *account,
                struct transfer_report *ret_report, struct berm_error *err);

/**
 * Copy a file of the work directory out.
 *
 * @name   as it is, not escaped; as for transfer_in().
 * @place  borrows. Nothing is made or changed there before the file has been opened and found good. The copy has
 *         mode 0644, or 0755 where its owner may execute it; no set-id bits, no extended attributes.
 *         Only a regular file or a link is replaced there; a stream may have got a part when an error is returned.
 * Refused, each with its reason: a link at any part of the name, what is not a regular file, a file with a second
 * name (a hard link), another file system, one past the caps.
 * Returns 0 (@ret_report->is_cut may be set), or -errno with @err filled.
 * Threads, source, test: as transfer_in().
 */
int transfer_out(const struct workspace_dir *dir, const char *name,
                 const struct transfer_place *place, struct transfer_account *account,
                 struct transfer_report *ret_report, struct berm_error *err);

/* Remove every draft of the staging directory: what a command that was killed left. Nobody else may be at work
 * there. Returns 0 or the first -errno. */
int transfer_clear_drafts(const struct workspace_dir *dir);

#endif

/*
 * Attempts on files: reading, writing, devices, links, handles.
 */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#include "guest/guest.h"

static int read_file(int argc, char **argv)
{
    char text[4096];
    int r = read_text(argv[0], text, sizeof(text));

    (void)argc;
    if (r < 0)
        return r;
    fact("%d bytes: %s", r, text);
    return 0;
}

/* Opens for writing without changing anything: an opened file is a writable file. */
static int open_write(int argc, char **argv)
{
    int fd = open(argv[0], O_WRONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);

    (void)argc;
    return outcome_of(fd);
}

static int open_any(int argc, char **argv)
{
    int fd = open(argv[0], O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);

    (void)argc;
    return outcome_of(fd);
}

static int write_file(int argc, char **argv)
{
    int fd = open(argv[0], O_WRONLY | O_CREAT | O_CLOEXEC, 0644);

    if (fd < 0)
        return -errno;
    const char *text = argc > 1 ? argv[1] : "written by the guest\n";
    return outcome_of(write(fd, text, strlen(text)));
}

/* Creates a file that must not be there before, and removes it. */
static int create(int argc, char **argv)
{
    char path[PATH_MAX];
    int fd;

    (void)argc;
    (void)snprintf(path, sizeof(path), "%s/berm-guest-made-this", argv[0]);
    fd = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
    if (fd < 0)
        return -errno;
    return outcome_of(unlink(path));
}

static int list(int argc, char **argv)
{
    DIR *dir = opendir(argv[0]);
    struct dirent *entry;
    unsigned count = 0;

    (void)argc;
    if (!dir)
        return -errno;
    while ((entry = readdir(dir)) != NULL) {
        if (strcmp(entry->d_name, ".") == 0 || strcmp(entry->d_name, "..") == 0)
            continue;
        if (count++ < 200)
            fact("%s ", entry->d_name);
    }
    (void)closedir(dir); /* only read */
    fact("(%u)", count);
    return 0;
}

static int exists(int argc, char **argv)
{
    struct stat info;

    (void)argc;
    if (lstat(argv[0], &info) != 0)
        return -errno;
    fact("mode %o uid %u gid %u", info.st_mode, info.st_uid, info.st_gid);
    return 0;
}

static int node(int argc, char **argv)
{
    char path[PATH_MAX];
    mode_t type = strcmp(argv[1], "block") == 0 ? S_IFBLK : S_IFCHR;
    dev_t device = makedev((unsigned)number_of(argv[2]), (unsigned)number_of(argv[3]));

    (void)argc;
    (void)snprintf(path, sizeof(path), "%s/berm-guest-node", argv[0]);
    if (mknod(path, type | 0600, device) != 0)
        return -errno;
    int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    int r = outcome_of(fd);
    hold_for_host();
    (void)unlink(path); /* undone as far as it can be */
    return r;
}

/* Which device nodes are there, and which of them open? */
static int devices(int argc, char **argv)
{
    DIR *dir = opendir("/dev");
    struct dirent *entry;

    (void)argc;
    (void)argv;
    if (!dir)
        return -errno;
    while ((entry = readdir(dir)) != NULL) {
        char path[PATH_MAX];
        struct stat info;

        (void)snprintf(path, sizeof(path), "/dev/%s", entry->d_name);
        if (lstat(path, &info) == 0 && (S_ISCHR(info.st_mode) || S_ISBLK(info.st_mode)))
            fact("%s ", entry->d_name);
    }
    (void)closedir(dir); /* only read */
    return 0;
}

static int link_to(int argc, char **argv)
{
    char path[PATH_MAX];
    char text[4096];
    bool is_hard = strcmp(argv[0], "hard") == 0;
    int r;

    (void)argc;
    (void)snprintf(path, sizeof(path), "%s/berm-guest-link", argv[2]);
    if ((is_hard ? link(argv[1], path) : symlink(argv[1], path)) != 0)
        return -errno;
    r = read_text(path, text, sizeof(text));
    hold_for_host();
    (void)unlink(path); /* undone */
    if (r < 0)
        return r;
    fact("%s", text);
    return 0;
}

/* The "shocker" way: a handle that says where a file lies on the disk, opened without any path. */
static int handle(int argc, char **argv)
{
    /* struct file_handle ends in a flexible array: room for its bytes behind it. */
    union {
        unsigned char room[sizeof(struct file_handle) + 128];
        struct file_handle head;
    } file = {{0}};

    int mount_id = 0;
    int directory = open("/", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    int fd;

    (void)argc;
    file.head.handle_bytes = 128;
    if (name_to_handle_at(AT_FDCWD, argv[0], &file.head, &mount_id, 0) != 0)
        return -errno;
    fd = open_by_handle_at(directory, &file.head, O_RDONLY | O_CLOEXEC);
    return outcome_of(fd);
}

static int flags_of(int argc, char **argv)
{
    struct statvfs info;

    (void)argc;
    if (statvfs(argv[0], &info) != 0)
        return -errno;
    fact("%s %s size %lu", info.f_flag & ST_RDONLY ? "ro" : "rw",
         info.f_flag & ST_NOSUID ? "nosuid" : "suid", info.f_blocks * info.f_frsize);
    return 0;
}

static int socket_file(int argc, char **argv)
{
    (void)argc;
    return outcome_of(mkfifo(argv[0], 0600));
}

const struct attempt files_attempts[] = {
    {"read",       "PATH",                         1, read_file  },
    {"open",       "PATH",                         1, open_any   },
    {"open-write", "PATH",                         1, open_write },
    {"write",      "PATH [TEXT]",                  1, write_file },
    {"create",     "DIRECTORY",                    1, create     },
    {"list",       "DIRECTORY",                    1, list       },
    {"exists",     "PATH",                         1, exists     },
    {"node",       "DIRECTORY char|block M N",     4, node       },
    {"devices",    "",                             0, devices    },
    {"link",       "hard|symbolic PATH DIRECTORY", 3, link_to    },
    {"handle",     "PATH",                         1, handle     },
    {"flags",      "PATH",                         1, flags_of   },
    {"fifo",       "PATH",                         1, socket_file},
    {NULL,         NULL,                           0, NULL       },
};

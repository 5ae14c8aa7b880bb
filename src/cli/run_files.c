/*
 * --put, --get, and the list of files.
 */
#include "cli/run_files.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/clock.h"
#include "base/error.h"
#include "base/quote.h"
#include "layers/choices.h"
#include "session/names.h"
#include "session/transfer.h"

#define TICK_LOOK_NS 200000L

/* "FIRST[:SECOND]" in place of @ret_second; "\:" is a colon. Returns false when there is a second colon. */
static bool split_word(const char *word, char *ret_first, char *ret_second)
{
    char *out = ret_first;
    bool is_second = false;

    *ret_second = '\0';
    for (; *word != '\0'; word++) {
        if (word[0] == '\\' && word[1] == ':') {
            *out++ = *++word;
        } else if (*word == ':') {
            if (is_second)
                return false;
            is_second = true;
            *out = '\0';
            out = ret_second;
        } else {
            *out++ = *word;
        }
    }
    *out = '\0';
    return true;
}

static int refuse_word(const char *flag, const char *word, const char *form, struct berm_error *err)
{
    struct quoted quoted;

    return error_set(err, BERM_E_INVALID, BERM_LAYER_NONE, EINVAL, form,
                     "--%s %s: not of that form", flag, quote_text(&quoted, word));
}

/* Both parts of a word, owned. */
static int read_word(const char *flag, const char *word, char *ret_parts[2], struct berm_error *err)
{
    const char *form = strcmp(flag, "put") == 0
                           ? "write --put FILE[:NAME]; a colon in a name is \\:"
                           : "write --get NAME[:FILE]; a colon in a name is \\:";
    size_t size = strlen(word) + 1;
    AUTO_FREE char *first = malloc(size);
    AUTO_FREE char *second = malloc(size);

    if (!first || !second)
        return error_set(err, BERM_E_SYSTEM, BERM_LAYER_NONE, ENOMEM, NULL, "no memory");
    if (!split_word(word, first, second) || first[0] == '\0')
        return refuse_word(flag, word, form, err);
    ret_parts[0] = take_text(&first);
    ret_parts[1] = take_text(&second);
    return 0;
}

static const char *last_part(const char *path)
{
    const char *slash = strrchr(path, '/');

    return slash ? slash + 1 : path;
}

static int open_put(const char *file, struct put_word *put, struct berm_error *err)
{
    struct quoted quoted;
    struct stat status = {0};

    put->fd = open(file, O_RDONLY | O_CLOEXEC | O_NOCTTY | O_NONBLOCK);
    int r = put->fd < 0 || fstat(put->fd, &status) < 0 ? -errno : 0;
    if (r < 0)
        return error_set(err, BERM_E_INVALID, BERM_LAYER_NONE, -r, "name a file that can be read",
                         "--put %s: %s", quote_text(&quoted, file), strerror(-r));
    if (!S_ISREG(status.st_mode))
        return error_set(err, BERM_E_INVALID, BERM_LAYER_NONE, EINVAL,
                         "name a regular file; a directory can be brought in by --ro",
                         "--put %s: not a regular file", quote_text(&quoted, file));
    put->mode = status.st_mode & 0777;
    return 0;
}

static int read_put(const char *word, struct put_word *put, struct berm_error *err)
{
    char *parts[2] = {NULL, NULL};
    int r = read_word("put", word, parts, err);
    AUTO_FREE char *file = parts[0];
    AUTO_FREE char *name = parts[1];

    put->fd = -EBADF;
    if (r < 0 || !file || !name)
        return r;
    put->name = strdup(name[0] != '\0' ? name : last_part(file));
    if (!put->name)
        return error_set(err, BERM_E_SYSTEM, BERM_LAYER_NONE, ENOMEM, NULL, "no memory");
    r = open_put(file, put, err); /* first: of "--put ." the name is not what is wrong */
    if (r < 0)
        return r;
    return name_is_inside(put->name, "--put", err) ? 0 : -EINVAL;
}

/* From the form in which names are listed. */
static int read_shown(const char *shown, char *ret_name, size_t size, struct berm_error *err)
{
    struct quoted quoted;
    int r = name_read(shown, ret_name, size);

    return r == 0 ? 0
                  : error_set(err, BERM_E_INVALID, BERM_LAYER_NONE, -r,
                              "write the name as it is listed", "--get %s: no name of a file",
                              quote_text(&quoted, shown));
}

static int read_get(const char *word, struct get_word *get, struct berm_error *err)
{
    char *parts[2] = {NULL, NULL};
    char name[NAME_PATH_SIZE];

    int r = read_word("get", word, parts, err);
    if (r < 0)
        return r;
    get->name = parts[0];
    get->file = parts[1];
    if (name_is_glob(get->name))
        return 0;
    r = read_shown(get->name, name, sizeof(name), err);
    if (r < 0)
        return r;
    return name_is_inside(name, "--get", err) ? 0 : -EINVAL;
}

static int check_level(const struct run_options *options, const struct policy *policy,
                       struct berm_error *err)
{
    bool has_work_dir = layer_is_on(policy, BERM_LAYER_ENV) || has_small_root(policy);

    if (options->put.count > 0 && !has_work_dir)
        return error_set(err, BERM_E_INVALID, BERM_LAYER_ENV, EINVAL, "use --level L2 or above",
                         "--put: without the layer env there is no work directory to put it into");
    /* The program, or what it left, may still be alive and change the file while it is read. */
    if (options->get.count > 0 && (!has_work_dir || !layer_is_on(policy, BERM_LAYER_PROCESS)))
        return error_set(err, BERM_E_INVALID, BERM_LAYER_PROCESS, EINVAL, "use --level L3 or above",
                         "--get: without the layer process the program may still be alive");
    return 0;
}

int run_file_words_read(const struct run_options *options, const struct policy *policy,
                        struct run_file_words *words, struct berm_error *err)
{
    memset(words, 0, sizeof(*words));
    words->policy = policy;
    words->wants_list = options->json || options->result;
    int r = check_level(options, policy, err);
    for (size_t i = 0; r == 0 && i < options->put.count; i++)
        r = read_put(options->put.items[i], &words->puts[words->put_count++], err);
    for (size_t i = 0; r == 0 && i < options->get.count; i++)
        r = read_get(options->get.items[i], &words->gets[words->get_count++], err);
    return r;
}

void run_file_words_done(struct run_file_words *words)
{
    for (size_t i = 0; i < words->put_count; i++) {
        close_fd(&words->puts[i].fd);
        free(words->puts[i].name);
    }
    for (size_t i = 0; i < words->get_count; i++) {
        free(words->gets[i].name);
        free(words->gets[i].file);
    }
    if (words->has_listing)
        listing_done(&words->listing);
    memset(words, 0, sizeof(*words));
}

static struct workspace_dir directory_of(const struct run_place *place)
{
    return (struct workspace_dir){
        .work_fd = place->work_fd, .staging_fd = -EBADF, .uid = place->uid, .gid = place->gid};
}

/* The caps of what comes out are those of what may be there. */
static struct transfer_caps caps_of(const struct policy *policy)
{
    return (struct transfer_caps){.file_bytes = policy->file_size,
                                  .total_bytes = policy->work_size,
                                  .files = policy->work_files};
}

/* The clock by which files are stamped: it stands still for up to 10 ms (clock_gettime(2), coarse). */
static uint64_t stamp_now_ns(void)
{
    struct timespec now = {0, 0};

    (void)clock_gettime(CLOCK_REALTIME_COARSE, &now);
    return clock_ns_of(&now);
}

/* A stamp that no file has so far: what changes from here on can be told from what was put. */
static uint64_t next_stamp_ns(void)
{
    const struct timespec look = {0, TICK_LOOK_NS};
    uint64_t last = stamp_now_ns();
    uint64_t now = last;

    while (now == last) {
        (void)nanosleep(&look, NULL);
        now = stamp_now_ns();
    }
    return now;
}

static int put_files(void *context, const struct run_place *place, struct berm_error *err)
{
    struct run_file_words *words = context;
    struct workspace_dir dir = directory_of(place);
    struct transfer_account account = {.caps = caps_of(words->policy)};
    struct transfer_report report;
    int r = 0;

    account.caps.file_bytes =
        account.caps.total_bytes; /* the limit of a file's size is for the program's own writes */
    for (size_t i = 0; r == 0 && i < words->put_count; i++) {
        const struct put_word *put = &words->puts[i];
        const struct transfer_source source = {.fd = put->fd, .mode = put->mode};
        r = transfer_in(&dir, put->name, &source, &account, &report, err);
    }
    if (r == 0 && words->wants_list)
        words->since_ns = next_stamp_ns();
    return r;
}

static bool is_directory(const char *path)
{
    struct stat status;

    return stat(path, &status) == 0 && S_ISDIR(status.st_mode);
}

/* Where a file goes: into a directory of the caller's, under one name. */
struct destination {
    char *name; /* owned */
    int dir_fd; /* owned */
};

static int find_destination(const char *file, const char *shown, struct destination *ret_place,
                            struct berm_error *err)
{
    struct quoted quoted;
    bool is_into = file[0] == '\0' || file[strlen(file) - 1] == '/' || is_directory(file);
    AUTO_FREE char *directory = strdup(file[0] == '\0' ? "." : file);
    const char *name = last_part(shown);

    if (directory && !is_into) {
        name = last_part(file);
        char *slash = strrchr(directory, '/');
        if (!slash)
            (void)snprintf(directory, strlen(file) + 1, ".");
        else
            slash[slash == directory ? 1 : 0] = '\0';
    }
    ret_place->name = strdup(name);
    if (!directory || !ret_place->name)
        return error_set(err, BERM_E_SYSTEM, BERM_LAYER_NONE, ENOMEM, NULL, "no memory");
    ret_place->dir_fd = open(directory, O_PATH | O_DIRECTORY | O_CLOEXEC);
    if (ret_place->dir_fd >= 0)
        return 0;
    return error_set(err, BERM_E_INVALID, BERM_LAYER_NONE, errno,
                     "make the directory, or name another", "--get: cannot write below %s: %s",
                     quote_text(&quoted, directory), strerror(errno));
}

/* One command's way out of the work directory. */
struct way_out {
    struct workspace_dir dir;
    struct transfer_account account;
};

static int get_one(struct way_out *way, const char *shown, const char *file, struct berm_error *err)
{
    struct destination place = {.name = NULL, .dir_fd = -EBADF};
    struct transfer_place target = {.stream_fd = STDOUT_FILENO, .dir_fd = -EBADF};
    struct transfer_report report = {0};
    char name[NAME_PATH_SIZE];
    struct quoted quoted;

    int r = read_shown(shown, name, sizeof(name), err);
    if (r < 0)
        return r;
    if (strcmp(file, "-") != 0) {
        r = find_destination(file, shown, &place, err);
        target = (struct transfer_place){
            .stream_fd = -EBADF, .dir_fd = place.dir_fd, .name = place.name};
    }
    if (r == 0)
        r = transfer_out(&way->dir, name, &target, &way->account, &report, err);
    if (r == 0 && report.is_cut)
        r = error_set(
            err, BERM_E_INVALID, BERM_LAYER_NONE, EFBIG, "raise --file-size",
            "--get %s: it grew past the cap while it was copied, and was cut at %llu bytes",
            quote_text(&quoted, shown), (unsigned long long)report.bytes);
    free(place.name);
    if (place.dir_fd >= 0)
        (void)close(place.dir_fd);
    return r;
}

static int get_matching(struct way_out *way, const struct get_word *get, struct berm_error *err)
{
    const struct listing_wish wish = {.entries_max = RUN_FILES_VISITS_MAX,
                                      .visits_max = RUN_FILES_VISITS_MAX};
    AUTO_FREE char *shown = malloc(NAME_SHOWN_SIZE);
    struct listing all = {0};
    struct quoted quoted;
    uint64_t matches = 0;

    int r = shown ? listing_make(&way->dir, &wish, &all) : -ENOMEM;
    if (r < 0)
        return error_set(err, BERM_E_SYSTEM, BERM_LAYER_NONE, -r, NULL,
                         "--get: cannot list the work directory: %s", strerror(-r));
    for (uint64_t i = 0; r == 0 && i < all.count; i++) {
        if (all.entries[i].type != ENTRY_FILE ||
            name_show(all.entries[i].path, shown, NAME_SHOWN_SIZE) < 0 ||
            !name_matches(get->name, shown))
            continue;
        matches++;
        r = get_one(way, shown, get->file, err);
    }
    if (r == 0 && matches == 0)
        r = error_set(err, BERM_E_INVALID, BERM_LAYER_NONE, ENOENT,
                      "--json lists the files that a run leaves", "--get %s: no file matches",
                      quote_text(&quoted, get->name));
    listing_done(&all);
    return r;
}

/* Each word is tried, whatever came of those before it. */
static void get_files(struct run_file_words *words, const struct run_place *place)
{
    struct way_out way = {.dir = directory_of(place), .account.caps = caps_of(words->policy)};

    for (size_t i = 0; i < words->get_count; i++) {
        const struct get_word *get = &words->gets[i];
        struct berm_error err = {0};
        int r = name_is_glob(get->name) ? get_matching(&way, get, &err)
                                        : get_one(&way, get->name, get->file, &err);
        if (r < 0 && words->err.code == BERM_E_NONE)
            words->err = err;
    }
}

/* The program text is the caller's: it is no file that the run made. */
static void leave_out(struct listing *listing, const char *name)
{
    for (uint64_t i = 0; name && i < listing->count; i++) {
        if (strcmp(listing->entries[i].path, name) != 0)
            continue;
        free(listing->entries[i].path);
        listing->count--;
        memmove(&listing->entries[i], &listing->entries[i + 1],
                (size_t)(listing->count - i) * sizeof(listing->entries[0]));
        return;
    }
}

static void after_run(void *context, const struct run_place *place)
{
    struct run_file_words *words = context;
    struct workspace_dir dir = directory_of(place);
    const struct listing_wish wish = {.since_ns = words->since_ns,
                                      .entries_max = RUN_FILES_LISTED_MAX,
                                      .visits_max = RUN_FILES_VISITS_MAX};

    words->has_listing = words->wants_list;
    if (words->wants_list && listing_make(&dir, &wish, &words->listing) < 0)
        words->listing.is_incomplete = true; /* nothing is known: never told as "nothing there" */
    if (words->has_listing)
        leave_out(&words->listing, words->left_out);
    get_files(words, place);
}

struct run_files run_file_words_files(struct run_file_words *words)
{
    return (struct run_files){.context = words, .before = put_files, .after = after_run};
}

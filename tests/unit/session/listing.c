/*
 * Claims about session/listing.h.
 */
/* cmocka.h needs the three before it. */
/* clang-format off */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>
/* clang-format on */

#include "session/listing.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/fsuid.h>
#include <unistd.h>

#include "linux/tree.h"

#define WORK_UID 54321

static char base[] = "/tmp/berm-unit-listing-XXXXXX";
static struct workspace_dir work;
static const struct listing_wish all = {.entries_max = 1000, .visits_max = 1000};

static void make_file(const char *name, const char *text)
{
    int fd = openat(work.work_fd, name, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0644);

    assert_true(fd >= 0);
    assert_int_equal(write(fd, text, strlen(text)), (ssize_t)strlen(text));
    assert_int_equal(close(fd), 0);
}

static int set_up(void **state)
{
    (void)state;
    strcpy(base + strlen(base) - 6, "XXXXXX");
    if (!mkdtemp(base))
        return -1;
    work = (struct workspace_dir){.staging_fd = -1, .uid = geteuid(), .gid = getegid()};
    if (geteuid() == 0) {
        work.uid = WORK_UID;
        work.gid = WORK_UID;
        if (chown(base, WORK_UID, WORK_UID) < 0)
            return -1;
    }
    work.work_fd = open(base, O_PATH | O_DIRECTORY | O_CLOEXEC);
    return work.work_fd < 0;
}

static int tear_down(void **state)
{
    (void)state;
    (void)close(work.work_fd);
    return tree_remove(AT_FDCWD, base);
}

static void everything_is_listed_by_type_and_in_order(void **state)
{
    static const char *const expected[] = {"a", "a/in", "b", "dangling", "fifo", "out"};

    static const enum entry_type types[] = {ENTRY_DIRECTORY, ENTRY_FILE, ENTRY_FILE,
                                            ENTRY_LINK,      ENTRY_FIFO, ENTRY_LINK};
    struct listing listing;

    (void)state;
    assert_int_equal(mkdirat(work.work_fd, "a", 0755), 0);
    make_file("a/in", "12345");
    make_file("b", "1");
    assert_int_equal(symlinkat("nowhere", work.work_fd, "dangling"), 0);
    assert_int_equal(symlinkat("/", work.work_fd, "out"), 0);
    assert_int_equal(mkfifoat(work.work_fd, "fifo", 0644), 0);
    assert_int_equal(listing_make(&work, &all, &listing), 0);
    assert_int_equal(listing.count, 6);
    for (size_t i = 0; i < 6; i++) {
        assert_string_equal(listing.entries[i].path, expected[i]);
        assert_int_equal(listing.entries[i].type, types[i]);
    }
    assert_int_equal(listing.entries[1].bytes, 5);
    assert_int_equal(listing.bytes, 6);
    assert_false(listing.is_incomplete);
    assert_int_equal(listing.omitted, 0);
    assert_int_equal(setfsuid((uid_t)-1), geteuid());
    listing_done(&listing);
}

static void bounds_are_kept_and_said(void **state)
{
    struct listing_wish wish = {.entries_max = 2, .visits_max = 1000};
    struct listing listing;
    char name[32];

    (void)state;
    for (int i = 0; i < 10; i++) {
        (void)snprintf(name, sizeof(name), "f%d", i);
        make_file(name, "xyz");
    }
    assert_int_equal(listing_make(&work, &wish, &listing), 0);
    assert_int_equal(listing.count, 2);
    assert_int_equal(listing.omitted, 8);
    assert_int_equal(listing.bytes, 30);
    assert_false(listing.is_incomplete);
    listing_done(&listing);
    wish = (struct listing_wish){.entries_max = 100, .visits_max = 10};
    assert_int_equal(listing_make(&work, &wish, &listing), 0);
    assert_false(listing.is_incomplete);
    listing_done(&listing);
    wish.visits_max = 9;
    assert_int_equal(listing_make(&work, &wish, &listing), 0);
    assert_int_equal(listing.count, 9);
    assert_true(listing.is_incomplete);
    listing_done(&listing);
}

static void a_deep_tree_is_cut_at_64_names(void **state)
{
    struct listing listing;
    int fd = dup(work.work_fd);

    (void)state;
    for (int i = 0; i < 200; i++) {
        assert_int_equal(mkdirat(fd, "d", 0755), 0);
        int next = openat(fd, "d", O_PATH | O_DIRECTORY | O_CLOEXEC);
        assert_int_equal(fchownat(fd, "d", work.uid, work.gid, 0), 0);
        assert_int_equal(close(fd), 0);
        fd = next;
    }
    assert_int_equal(close(fd), 0);
    assert_int_equal(listing_make(&work, &all, &listing), 0);
    assert_int_equal(listing.count, 64);
    assert_true(listing.is_incomplete);
    listing_done(&listing);
}

static void what_changed_since_is_told(void **state)
{
    struct listing_wish wish = all;
    struct listing listing;
    struct stat status;

    (void)state;
    make_file("old", "1");
    assert_int_equal(mkdirat(work.work_fd, "dir", 0755), 0);
    assert_int_equal(usleep(20000), 0);
    make_file("dir/new", "22");
    assert_int_equal(fstatat(work.work_fd, "dir/new", &status, 0), 0);
    wish.since_ns =
        (uint64_t)status.st_ctim.tv_sec * 1000000000U + (uint64_t)status.st_ctim.tv_nsec;
    assert_int_equal(listing_make(&work, &wish, &listing), 0);
    assert_int_equal(listing.count, 1);
    assert_string_equal(listing.entries[0].path, "dir/new");
    assert_int_equal(listing.bytes, 2);
    listing_done(&listing);
}

/* As the owner: what he cannot read is not read for him by root. */
static void a_directory_that_the_owner_cannot_read_is_said(void **state)
{
    struct listing listing;

    (void)state;
    assert_int_equal(mkdirat(work.work_fd, "closed", 0700), 0);
    make_file("closed/x", "");
    assert_int_equal(fchmodat(work.work_fd, "closed", geteuid() == 0 ? 0700 : 0, 0), 0);
    assert_int_equal(listing_make(&work, &all, &listing), 0);
    assert_int_equal(listing.count, 1);
    assert_true(listing.is_incomplete);
    listing_done(&listing);
    assert_int_equal(fchmodat(work.work_fd, "closed", 0700, 0), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(everything_is_listed_by_type_and_in_order, set_up,
                                        tear_down),
        cmocka_unit_test_setup_teardown(bounds_are_kept_and_said, set_up, tear_down),
        cmocka_unit_test_setup_teardown(a_deep_tree_is_cut_at_64_names, set_up, tear_down),
        cmocka_unit_test_setup_teardown(what_changed_since_is_told, set_up, tear_down),
        cmocka_unit_test_setup_teardown(a_directory_that_the_owner_cannot_read_is_said, set_up,
                                        tear_down),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

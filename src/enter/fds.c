/*
 * What the program inherits: session, signals, umask, descriptors, directory.
 */
#include <asm/ioctls.h>
#include <fcntl.h>
#include <signal.h>

#include "enter/raw.h"
#include "enter/sequence.h"
#include "plan/defect.h"

#define FIRST_EXTRA_FD           3
#define CLOSE_RANGE_CLOEXEC_FLAG (1U << 2) /* Linux 5.11, close_range(2) */
#define HIGHEST_SIGNAL           64
#define JOIN_SESSION_KEYRING     1 /* KEYCTL_JOIN_SESSION_KEYRING, linux/keyctl.h */

int step_new_session(struct enter_state *state)
{
    if (!plan_has(state->plan, PLAN_NEW_SESSION) || IS_PLANTED(session_kept))
        return 0;
    long r = RAW(SYS_setsid);
    if (r < 0 || !plan_has(state->plan, PLAN_TTY))
        return r < 0 ? (int)r : 0;
    /* A session leader without a terminal takes this one as its own (ioctl_tty(2)). */
    return (int)RAW(SYS_ioctl, RAW_ARG(state->context->stdio[0]), TIOCSCTTY, 0UL);
}

int step_signals(struct enter_state *state)
{
    /* The kernel's struct sigaction, all zero: SIG_DFL, no flags, empty mask. 64 bytes cover the layout
     * of every architecture; the size of the mask is the last argument (rt_sigaction, signal.c). */
    static const unsigned char default_action[64];
    static const uint64_t empty_mask;

    if (!plan_has(state->plan, PLAN_RESET_SIGNALS))
        return 0;
    for (long number = 1; number <= HIGHEST_SIGNAL; number++) {
        if (number != SIGKILL && number != SIGSTOP)
            (void)RAW(SYS_rt_sigaction, number, default_action, NULL, sizeof(empty_mask));
    }
    (void)RAW(SYS_umask, RAW_ARG(state->plan->umask)); /* returns the old mask, cannot fail */
    return (int)RAW(SYS_rt_sigprocmask, RAW_ARG(SIG_SETMASK), &empty_mask, NULL,
                    sizeof(empty_mask));
}

int step_keyring(struct enter_state *state)
{
    if (!plan_has(state->plan, PLAN_NEW_KEYRING) || IS_PLANTED(keyring_kept))
        return 0;
    /* A kernel without keys, or an outer filter that refuses keyctl to the program as well: nothing to part with
     * (keyctl_join_session_keyring(3)). */
    long r = RAW(SYS_keyctl, (unsigned long)JOIN_SESSION_KEYRING, NULL);
    return r < 0 && r != -ENOSYS && r != -EPERM ? (int)r : 0;
}

struct directory_entry {
    uint64_t inode;
    int64_t offset;
    unsigned short length;
    unsigned char type;
    char name[];
};

/* Where close_range is refused (an outer filter): the list of /proc/self/fd, equally complete. */
static int close_at_exec_by_list(void)
{
    _Alignas(8) char buffer[2048];
    long n;
    int fd = raw_open("/proc/self/fd", O_RDONLY | O_DIRECTORY | O_CLOEXEC, 0);

    if (fd < 0)
        return fd;
    while ((n = RAW(SYS_getdents64, RAW_ARG(fd), buffer, sizeof(buffer))) > 0) {
        for (long at = 0; at < n;) {
            const struct directory_entry *entry = (const void *)(buffer + at);
            int number = 0;

            for (const char *digit = entry->name; *digit >= '0' && *digit <= '9'; digit++)
                number = number * 10 + (*digit - '0');
            if (number >= FIRST_EXTRA_FD)
                (void)RAW(SYS_fcntl, RAW_ARG(number), RAW_ARG(F_SETFD), RAW_ARG(FD_CLOEXEC));
            at += entry->length;
        }
    }
    (void)raw_close(fd);
    return (int)n;
}

int step_descriptors(struct enter_state *state)
{
    for (int i = 0; i < FIRST_EXTRA_FD; i++) {
        /* The supervisor gives numbers above 2, so dup3 never meets its own target. */
        state->index = (uint32_t)i;
        long r = RAW(SYS_dup3, RAW_ARG(state->context->stdio[i]), RAW_ARG(i), 0L);
        if (r < 0)
            return (int)r;
    }
    if (!plan_has(state->plan, PLAN_CLOSE_DESCRIPTORS) || IS_PLANTED(keep_descriptors))
        return 0; /* L0 and L1: those of the caller's that it left open; berm's own are closed at exec anyway */
    state->index = FIRST_EXTRA_FD;
    long r = RAW(SYS_close_range, (unsigned long)FIRST_EXTRA_FD, ~0UL,
                 (unsigned long)CLOSE_RANGE_CLOEXEC_FLAG);
    return r == 0 ? 0 : close_at_exec_by_list();
}

int step_work_dir(struct enter_state *state)
{
    const char *cwd = plan_text_of(state->plan, state->plan->cwd);

    if (cwd[0] == '\0' || IS_PLANTED(work_dir_shared))
        return 0; /* the caller's: L0 and L1 */
    return raw_chdir(cwd[0] == PLAN_WORK_MARK ? state->context->work_path : cwd);
}

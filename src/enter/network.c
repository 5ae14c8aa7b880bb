/*
 * The run's own loopback interface.
 */
#include <linux/if.h>
#include <linux/sockios.h>
#include <sys/socket.h>

#include "enter/raw.h"
#include "enter/sequence.h"

int step_loopback(struct enter_state *state)
{
    struct ifreq request = {.ifr_name = "lo"};
    long r;

    if (!plan_has(state->plan, PLAN_LOOPBACK))
        return 0;
    long fd = RAW(SYS_socket, RAW_ARG(AF_INET), RAW_ARG(SOCK_DGRAM | SOCK_CLOEXEC), 0UL);
    if (fd < 0)
        return (int)fd;
    r = RAW(SYS_ioctl, fd, (unsigned long)SIOCGIFFLAGS, &request);
    if (r == 0) {
        request.ifr_flags |= IFF_UP;
        r = RAW(SYS_ioctl, fd, (unsigned long)SIOCSIFFLAGS, &request);
    }
    (void)raw_close((int)fd);
    return (int)r;
}

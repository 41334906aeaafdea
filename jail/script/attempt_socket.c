/*
 * Attempts at other sockets than the one that is given. The network
 * namespace of a jail has no device that is up; the filter lets no socket be
 * made.
 */
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/un.h>

#include <linux/vm_sockets.h>
#include <netinet/in.h>
#include <stddef.h>
#include <string.h>
#include <unistd.h>

#include "attempt.h"

CALL(inet, SYS_socket, AF_INET, SOCK_STREAM, 0)
CALL(packet, SYS_socket, AF_PACKET, SOCK_RAW, 0)
CALL(raw, SYS_socket, AF_INET, SOCK_RAW, IPPROTO_ICMP)
CALL(netlink, SYS_socket, AF_NETLINK, SOCK_RAW, 0)
CALL(vsock, SYS_socket, AF_VSOCK, SOCK_STREAM, 0)
CALL(alg, SYS_socket, AF_ALG, SOCK_SEQPACKET, 0)
CALL(high_family, SYS_socket, (1L << 32) | AF_NETLINK, SOCK_RAW, 0)

static int
try_connect(void)
{
	struct sockaddr_in	sin = { .sin_family = AF_INET };
	int			fd;

	sin.sin_addr.s_addr = htonl(0x01010101);
	sin.sin_port = htons(53);
	fd = (int)syscall(SYS_socket, AF_INET, SOCK_DGRAM, 0);
	return (fd != -1 && syscall(SYS_connect, fd, &sin, sizeof(sin)) == 0);
}

/* Abstract names are the network namespace's: whoever listens on the host's
 * is not reached. */
static int
try_abstract(void)
{
	struct sockaddr_un	sun = { .sun_family = AF_UNIX };
	int			fd;

	memcpy(sun.sun_path + 1, ATTEMPT_ABSTRACT, sizeof(ATTEMPT_ABSTRACT));
	fd = (int)syscall(SYS_socket, AF_UNIX, SOCK_STREAM, 0);
	return (fd != -1 && syscall(SYS_connect, fd, &sun,
	    offsetof(struct sockaddr_un, sun_path) + 1 +
	    sizeof(ATTEMPT_ABSTRACT) - 1) == 0);
}

static int
try_socketpair(void)
{
	int	sv[2];

	return (syscall(SYS_socketpair, AF_UNIX, SOCK_STREAM, 0, sv) == 0);
}

/* Descriptors leave a jail by nobody's leave but the broker's: an option of
 * the one socket that would say who we are. */
static int
try_passcred(void)
{
	return (syscall(SYS_setsockopt, 3, SOL_SOCKET, SO_PASSCRED,
	    &(int){ 1 }, sizeof(int)) == 0);
}

const struct attempt	attempts_sockets[] = {
	{ "inet socket", try_inet, GIVEN | ALONE,
	    "a socket that nothing can be reached by" },
	{ "inet connect", try_connect, 0, "net namespace" },
	{ "packet socket", try_packet, 0, "no capability" },
	{ "raw socket", try_raw, 0, "no capability" },
	{ "netlink socket", try_netlink, ALONE,
	    "shows a network namespace with nothing in it" },
	{ "vsock socket", try_vsock, VARIES, "a kernel without vsock" },
	{ "alg socket", try_alg, VARIES, "a kernel without AF_ALG" },
	{ "family with high bits", try_high_family, ALONE,
	    "as the netlink socket" },
	{ "host's abstract socket", try_abstract, 0, "net namespace" },
	{ "socketpair", try_socketpair, GIVEN | ALONE, "a pipe to oneself" },
	{ "options of the socket", try_passcred, GIVEN | ALONE,
	    "the broker judges by what it was given" },
	{ NULL, NULL, 0, NULL }
};

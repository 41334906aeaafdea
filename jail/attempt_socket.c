/*
 * Attempts at other sockets than the one that is given. The network
 * namespace of a jail has no device that is up; a script jail's filter lets
 * no socket be made, a tool jail's only such as programs ask for.
 */
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/un.h>

#include <linux/vm_sockets.h>
#include <netinet/in.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <unistd.h>

#include "attempt_table.h"

CALL(inet, SYS_socket, AF_INET, SOCK_STREAM, 0)
CALL(packet, SYS_socket, AF_PACKET, SOCK_RAW, 0)
CALL(raw, SYS_socket, AF_INET, SOCK_RAW, IPPROTO_ICMP)
CALL(netlink, SYS_socket, AF_NETLINK, SOCK_RAW, 0)
CALL(vsock, SYS_socket, AF_VSOCK, SOCK_STREAM, 0)
CALL(alg, SYS_socket, AF_ALG, SOCK_SEQPACKET, 0)
CALL(high_family, SYS_socket, (1L << 32) | AF_NETLINK, SOCK_RAW, 0)

static int
reach(uint32_t address)
{
	struct sockaddr_in	sin = { .sin_family = AF_INET };
	int			fd;

	sin.sin_addr.s_addr = htonl(address);
	sin.sin_port = htons(53);
	fd = (int)syscall(SYS_socket, AF_INET, SOCK_DGRAM, 0);
	return (fd != -1 && syscall(SYS_connect, fd, &sin, sizeof(sin)) == 0);
}

static int
try_connect(void)
{
	return (reach(0x01010101));
}

static int
try_loopback(void)
{
	return (reach(INADDR_LOOPBACK));
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
	{ "inet socket", try_inet, SCRIPT(ALONE,
	    "a socket that nothing can be reached by") },
	{ "inet connect", try_connect, EACH(0, "net namespace",
	    UNFILTERED, "net namespace") },
	{ "host's loopback", try_loopback, EACH(0, "net namespace",
	    UNFILTERED, "net namespace") },
	{ "packet socket", try_packet, BOTH(0, "no capability") },
	{ "raw socket", try_raw, EACH(0, "no capability",
	    UNFILTERED, "no capability") },
	{ "netlink socket", try_netlink, BOTH(ALONE,
	    "shows a network namespace with nothing in it") },
	{ "vsock socket", try_vsock, BOTH(VARIES, "a kernel without vsock") },
	{ "alg socket", try_alg, BOTH(VARIES, "a kernel without AF_ALG") },
	{ "family with high bits", try_high_family, BOTH(ALONE,
	    "as the netlink socket") },
	{ "host's abstract socket", try_abstract, EACH(0, "net namespace",
	    UNFILTERED, "net namespace") },
	{ "socketpair", try_socketpair, SCRIPT(ALONE, "a pipe to oneself") },
	{ "options of the socket", try_passcred, SCRIPT(ALONE,
	    "the broker judges by what it was given") },
	ATTEMPT_END
};

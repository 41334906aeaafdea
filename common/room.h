/*
 * What the broker, keeper and gateway do alike: read their options, confine
 * themselves, say hello to the supervisor, and wait for its word.
 */
#ifndef ROOM_H
#define ROOM_H

#include <event2/event.h>

#include "confine.h"
#include "peer.h"

#define WFSUP_VERSION	"0.1.0"
/* Where a room finds its socket to the supervisor, and the log socket. */
#define ROOM_FD		3
#define ROOM_LOG_FD	4
/* Where the launcher alone finds the sockets that are for these three. */
#define ROOM_MOUNTER_FD	5
#define ROOM_WARDEN_FD	6
#define ROOM_READER_FD	7

struct room {
	struct event_base	*base;
	struct peer		*supervisor;
};

/* The log of any process that finds its log socket, or none, at
 * ROOM_LOG_FD. boot may be NULL. */
void	 room_log(const char *name, const char *boot, int debug);
/*
 * Options: -u uid -g gid [-r root] [-b boot] [-d] (log to standard error,
 * debug). Log, confine (uid, gid, root of cf are set from the options),
 * event base, supervisor peer, ROOM_HELLO. Exits with a usage error on bad
 * options; anything else that fails is fatal. If the supervisor goes away
 * the process ends.
 */
void	 room_init(struct room *, enum role self, const char *name, int argc,
	    char **argv, struct confine *cf, const struct handler *handlers,
	    void *ctx);
/* The two halves of it, for a room that confines itself otherwise between
 * them: signals, event base; handlers (with what all rooms answer alike),
 * supervisor peer, ROOM_HELLO. */
void	 room_prepare(struct room *);
void	 room_hello(struct room *, enum role self, const struct handler *,
	    void *ctx);
/* Of these also for a process that is no room: ROOM_HELLO, and the handler
 * of PING. */
void	 room_greet(struct peer *);
int	 room_ping(struct peer *, struct msg *);
/* Dispatch until the supervisor is gone. Never returns. */
void	 room_loop(struct room *) __attribute__((noreturn));

#endif

/*
 * A supervisor and a broker for the tests of the jails: starts a starter in
 * a user namespace of its own, orders jails, and speaks with them.
 */
#ifndef DRIVER_H
#define DRIVER_H

#include <sys/types.h>

#include <jansson.h>
#include <stddef.h>
#include <stdint.h>

#include "imsg.h"
#include "msg.h"

/* The first id of the starter's range, as the host counts. */
#define DRIVER_BASE	1200000

/* A starter, or a jail, at the other end of a socket. */
struct side {
	struct imsgbuf	 ibuf;
	pid_t		 pid;
};

/* One message with its parts put together. Free with got_free(). */
struct got {
	uint32_t	 type, id;
	json_t		*env;
	char		*body;		/* NUL-terminated, or NULL */
	size_t		 bodylen;
	int		 fd;
};

struct limits {
	int64_t	memory, pids, cpu, fsize, files;
};
extern const struct limits	driver_limits;
/* Jails are made ahead of a run. */
extern int			driver_ahead;

/* Exec binary with an extra option or two (NULL for none) and see it READY.
 * config is JSON. Returns 0, or -1 after saying why on standard error. */
int	 driver_start(struct side *, const char *binary, const char *option,
	    const char *value, const char *config);
/* Kill the starter and wait for it. */
void	 driver_stop(struct side *);

/* Give a part, taking fd. */
void	 driver_part(struct side *, int64_t jail, const char *part, int fd);
/* Order a jail with a socket; *jail is the broker's end. */
void	 driver_spawn(struct side *, int64_t jail, uid_t uid,
	    const struct limits *, struct side *broker);
/* Await SPAWNED and CONFINED; the jail's pid as this test counts, -1 if it
 * did not come to that. */
pid_t	 driver_confined(struct side *, struct side *jail);

/* A detached mount of a directory of owner's, shown as a jail's own. */
int	 driver_mount(const char *path, uid_t owner, uid_t uid, int readonly);

void	 side_send(struct side *, uint32_t type, uint32_t id, int fd,
	    json_t *env, const char *body);
/* Wait up to ms for a message. Returns 0, or -1 at the end or in silence. */
int	 side_recv(struct side *, struct got *, int ms);
/* The same, and it must be of this type. */
int	 side_want(struct side *, struct got *, uint32_t type, int ms);
void	 side_close(struct side *);
void	 got_free(struct got *);

/* The value of a line "key:\tvalue" in /proc/PID/status, in a static buffer;
 * "" if there is none. */
const char	*proc_status(pid_t, const char *key);

/* The binary of this name in the build directory: $B, or build. */
const char	*driver_binary(const char *name);

#endif

/*
 * Who can be started, and with which options.
 */
#include <sys/uio.h>

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "imsg.h"
#include "launcher.h"
#include "log.h"

#define PATH_SIZE	256

enum how { AS_ROOM, AS_STARTER, AS_MOUNTER, AS_WARDEN, AS_READER };

static const struct def {
	const char	*name, *binary;
	enum how	 how;
	enum user	 user;		/* of a room */
	uid_t		 ids;		/* of a starter, above the base */
} defs[] = {
	{ "broker", "wfsup-broker", AS_ROOM, BROKER_USER, 0 },
	{ "keeper", "wfsup-keeper", AS_ROOM, KEEPER_USER, 0 },
	{ "gateway", "wfsup-gateway", AS_ROOM, GATEWAY_USER, 0 },
	{ "script-starter", "wfsup-script", AS_STARTER, NUSERS, 0 },
	{ "script-starter-2", "wfsup-script", AS_STARTER, NUSERS, 0 },
	{ "tool-starter", "wfsup-tool", AS_STARTER, NUSERS, 65536 },
	{ "mounter", "wfsup-mounter", AS_MOUNTER, NUSERS, 0 },
	{ "warden", "wfsup-warden", AS_WARDEN, NUSERS, 0 },
	{ "reader", "wfsup-reader", AS_READER, NUSERS, 0 },
};

static const struct def *
def_find(const char *name)
{
	size_t	i;

	for (i = 0; i < sizeof(defs) / sizeof(defs[0]); i++)
		if (strcmp(defs[i].name, name) == 0)
			return (&defs[i]);
	return (NULL);
}

/* ---- who is kept ---- */

struct args {
	char	 binary[PATH_SIZE], root[PATH_SIZE], uid[16], gid[16];
	char	*argv[12];
};

static void
args_fill(struct args *a, const struct launcher *la, const struct def *def)
{
	char			**argv = a->argv;
	const struct ids	*ids;
	int			 n = 0;

	(void)snprintf(a->binary, sizeof(a->binary), "%s/%s", la->libexec,
	    def->binary);
	argv[n++] = a->binary;
	argv[n++] = (char *)"-b";
	argv[n++] = (char *)(uintptr_t)la->boot;
	if (la->verbose)
		argv[n++] = (char *)"-d";
	if (def->how == AS_ROOM) {
		ids = &la->users[def->user];
		(void)snprintf(a->uid, sizeof(a->uid), "%u", ids->uid);
		(void)snprintf(a->gid, sizeof(a->gid), "%u", ids->gid);
		argv[n++] = (char *)"-u";
		argv[n++] = a->uid;
		argv[n++] = (char *)"-g";
		argv[n++] = a->gid;
	}
	if (def->user == KEEPER_USER || def->how == AS_WARDEN) {
		(void)snprintf(a->root, sizeof(a->root), "%s%s", la->state,
		    def->how == AS_WARDEN ? "" : "/keeper");
		argv[n++] = (char *)"-r";
		argv[n++] = a->root;
	}
	if (def->how == AS_READER) {
		argv[n++] = (char *)"-f";
		argv[n++] = (char *)(uintptr_t)la->file;
		if (la->credentials != NULL) {
			argv[n++] = (char *)"-c";
			argv[n++] = (char *)(uintptr_t)la->credentials;
		}
	}
	argv[n] = NULL;
}

static pid_t
def_spawn(const struct launcher *la, const struct def *def, int sock,
    int *pidfd)
{
	struct args	a = { .argv = { NULL } };
	struct spawn	sp = {
		.binary = a.binary, .argv = a.argv, .sock = sock,
		.log = la->log,
		.userns = def->how == AS_ROOM || def->how == AS_READER ?
		    la->userns : -1,
	};

	args_fill(&a, la, def);
	if (def->how == AS_STARTER)
		return (spawn_starter(&sp, la->jail_base + def->ids, pidfd));
	return (spawn(&sp, pidfd));
}

int
launch(struct launcher *la, const char *room, int sock)
{
	const struct def	*def = def_find(room);
	int			 pidfd = -1;
	pid_t			 pid;

	if (def == NULL) {
		(void)close(sock);
		return (-1);
	}
	if ((pid = def_spawn(la, def, sock, &pidfd)) != -1)
		peer_send(la->supervisor, IMSG_LAUNCHED, 0, pidfd, json_pack(
		    "{s:s,s:i}", "room", room, "pid", pid), NULL, 0);
	else
		peer_send(la->supervisor, IMSG_LAUNCH_FAILED, 0, -1,
		    json_pack("{s:s,s:s}", "room", room, "error",
		    strerror(errno)), NULL, 0);
	(void)close(sock);
	if (la->log != -1)
		(void)close(la->log);
	la->log = -1;
	return (0);
}

int
on_launch(struct peer *p, struct msg *m)
{
	const struct launcher	*la = peer_ctx(p);

	if (la->setup == NULL)
		return (-1);
	return (launch(peer_ctx(p), msg_str(m->env, "room"),
	    msg_take_fd(m)));
}

int
on_launch_log(struct peer *p, struct msg *m)
{
	struct launcher	*la = peer_ctx(p);

	if (la->log != -1)
		return (-1);
	la->log = msg_take_fd(m);
	return (0);
}

/* ---- errands ---- */

/* There is no process: what it would have said. Takes sock. */
static void
errand_failed(int sock, int error)
{
	char		text[32];
	struct iovec	iov = { text, 0 };
	struct imsgbuf	buf;

	(void)snprintf(text, sizeof(text), "{\"error\":%d}", error);
	iov.iov_len = strlen(text);
	imsgbuf_init(&buf, sock);
	if (imsg_composev(&buf, IMSG_ERRAND_DONE, 0, -1, &iov, 1) == -1 ||
	    imsgbuf_write(&buf) == -1)
		log_warn("an errand's failure can't be told");
	imsgbuf_clear(&buf);
	(void)close(sock);
}

int
on_launch_errand(struct peer *p, struct msg *m)
{
	const struct launcher	*la = peer_ctx(p);
	char			 binary[PATH_SIZE], user[16], group[16];
	char			*argv[] = { binary, (char *)"-u", user,
				    (char *)"-g", group, NULL, NULL };
	int			 sock = msg_take_fd(m);
	struct spawn		 sp = {
		.binary = binary, .argv = argv, .sock = sock, .log = -1,
		.userns = -1, .ours = 1,
	};

	if (msg_bool(m->env, "groups"))
		argv[5] = (char *)"-G";
	(void)snprintf(binary, sizeof(binary), "%s/wfsup-errand",
	    la->libexec);
	(void)snprintf(user, sizeof(user), "%" PRId64,
	    msg_int(m->env, "uid"));
	(void)snprintf(group, sizeof(group), "%" PRId64,
	    msg_int(m->env, "gid"));
	if (spawn(&sp, NULL) == -1)
		errand_failed(sock, errno);
	else
		(void)close(sock);
	return (0);
}

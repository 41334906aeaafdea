/*
 * The keeper: what has happened, kept.
 *
 * User		_wfkeeper, no supplementary groups
 * Capabilities	none, bounding set empty
 * Files	the state directory, which is its root
 * Network	none
 * Syscalls	keeper_syscalls in main.c
 * Peers	supervisor, broker
 * Secrets	none
 */
#include <sys/stat.h>

#include <seccomp.h>
#include <string.h>

#include "handlers.h"
#include "log.h"
#include "room.h"
#include "runs.h"

/* What SQLite does with a file that is locked exclusively. */
static const int	keeper_syscalls[] = {
	SCMP_SYS(openat), SCMP_SYS(pread64), SCMP_SYS(pwrite64),
	SCMP_SYS(fsync), SCMP_SYS(fdatasync), SCMP_SYS(ftruncate),
	SCMP_SYS(unlink), SCMP_SYS(access), SCMP_SYS(getcwd),
	SCMP_SYS(readlink), SCMP_SYS(fchmod), SCMP_SYS(geteuid),
	/* The reserve. */
	/* posix_fallocate asks fstatfs where there is no fallocate: ext2. */
	SCMP_SYS(statfs), SCMP_SYS(fallocate), SCMP_SYS(fstatfs),
	-1
};

static int
on_config(struct peer *p, struct msg *m)
{
	struct keeper	*k = peer_ctx(p);
	struct config	*config;
	char		 why[160];
	json_t		*body;

	if ((body = msg_body(m, why, sizeof(why))) == NULL)
		fatalx("configuration: %s", why);
	config = config_new(body, why, sizeof(why));
	json_decref(body);
	if (config == NULL && k->config != NULL) {
		log_warnx("configuration: %s; the old one stays", why);
		return (0);
	}
	if (config == NULL)
		fatalx("configuration: %s", why);
	config_free(k->config);
	k->config = config;
	if (k->started)
		run_schedule(k);
	return (0);
}

static int
on_channel(struct peer *p, struct msg *m)
{
	if (strcmp(msg_str(m->env, "peer"), "broker") != 0)
		return (-1);
	broker_attach(peer_ctx(p), msg_take_fd(m));
	return (0);
}

static int
on_start(struct peer *p, struct msg *m)
{
	struct keeper	*k = peer_ctx(p);

	(void)m;
	if (k->config == NULL || k->started)
		fatalx("started %s", k->started ? "twice" :
		    "without a configuration");
	broker_start(k);
	peer_send(p, IMSG_ROOM_READY, 0, -1, NULL, NULL, 0);
	return (0);
}

static const struct handler	supervisor_handlers[] = {
	{ IMSG_ROOM_CONFIG,	on_config },
	{ IMSG_CHANNEL,		on_channel },
	{ IMSG_ROOM_START,	on_start },
	{ IMSG_SANDBOX_REMOVED,	msg_sandbox_removed },
	{ 0, NULL }
};

int
main(int argc, char **argv)
{
	struct confine	 cf = { .syscalls = keeper_syscalls };
	struct keeper	 k;
	struct room	 room;
	char		 why[512];

	(void)umask(077);
	peer_check_handlers(KEEPER, BROKER, broker_handlers);
	room_init(&room, KEEPER, "keeper", argc, argv, &cf,
	    supervisor_handlers, &k);
	if (keeper_open(&k, room.base, "keeper.db", why, sizeof(why)) == -1)
		fatalx("journal: %s", why);
	room_loop(&room);
}

/*
 * The launcher and the mounter, seen from here: who makes errands and maps,
 * and who mounts by them.
 */
#include <linux/capability.h>
#include <signal.h>
#include <string.h>
#include <unistd.h>

#include "cgroup.h"
#include "jails.h"
#include "log.h"
#include "room.h"

#define MOUNTER_SECONDS	15	/* for an answer; then jails are not late yet */

/* ---- the launcher ---- */

/* The supervisor sees its death as well: without it there is no daemon. */
static void
launcher_gone(struct peer *p, const char *why)
{
	struct warden	*w = peer_ctx(p);

	w->launcher = NULL;
	if (!w->stopping)
		fatalx("the launcher is gone: %s", why);
}

static int
on_cgroup(struct peer *p, struct msg *m)
{
	struct warden	*w = peer_ctx(p);

	if (w->cgroups_known || cgroups_add(w->cgroups,
	    (int)msg_int(m->env, "version"), msg_take_fd(m)) == -1)
		return (-1);
	w->cgroups_known = msg_bool(m->env, "last");
	if (w->cgroups_known)
		canaries_begin(w);
	return (0);
}

void
launcher_connect(struct warden *w, int fd)
{
	static const struct handler	 handlers[] = {
		{ IMSG_CGROUP,		on_cgroup },
		{ IMSG_HOST_ROW,	on_host_row },
		{ IMSG_MAP,		on_map },
		{ IMSG_MAP_FAILED,	on_map_failed },
		{ 0, NULL }
	};
	static const struct peer_ops	 ops = {
		.self = WARDEN, .handlers = handlers, .gone = launcher_gone,
	};

	if ((w->launcher = peer_new(w->base, fd, LAUNCHER, "launcher", &ops,
	    w)) == NULL)
		fatal("launcher");
	peer_allow_fds(w->launcher);
	peer_set_body_max(w->launcher, 0);
	host_probe_idmap(w);
}

int
launch_errand(struct warden *w, uid_t uid, gid_t gid, int groups, int sock)
{
	if (w->launcher == NULL) {
		(void)close(sock);
		return (-1);
	}
	peer_send(w->launcher, IMSG_LAUNCH_ERRAND, 0, sock, json_pack(
	    "{s:I,s:I,s:b}", "uid", (json_int_t)uid, "gid", (json_int_t)gid,
	    "groups", groups), NULL, 0);
	return (0);
}

int
map_send(struct warden *w, uint32_t type, uint32_t id, json_t *env)
{
	if (w->launcher == NULL) {
		json_decref(env);
		return (-1);
	}
	peer_send(w->launcher, type, id, -1, env, NULL, 0);
	return (0);
}

/* ---- the mounter ---- */

/* Its rights can't be had again, as the launcher's. */
static void
mounter_gone(struct peer *p, const char *why)
{
	struct warden	*w = peer_ctx(p);

	w->mounter = NULL;
	if (!w->stopping)
		fatalx("the mounter is gone: %s", why);
}

/* Without it no sandbox can be made, and it can't be started again: then the
 * daemon ends, and whoever starts it has one that works. */
static void
mounter_late(int fd, short what, void *arg)
{
	struct warden	*w = arg;

	(void)fd;
	(void)what;
	log_warnx("the mounter does not answer: it is killed");
	(void)kill(w->mounter_pid, SIGKILL);
}

static void
mounter_wait(struct warden *w)
{
	const struct timeval	tv = { MOUNTER_SECONDS, 0 };

	if (event_add(w->mounter_late, &tv) == -1)
		fatalx("mounter: event");
}

/* An answer, to the first question that has none. */
static int
mounter_answered(struct warden *w)
{
	if (w->mounts == 0)
		return (-1);
	if (--w->mounts > 0)
		mounter_wait(w);
	else
		(void)event_del(w->mounter_late);
	return (0);
}

static int
on_mounter_mounted(struct peer *p, struct msg *m)
{
	if (mounter_answered(peer_ctx(p)) == -1)
		return (-1);
	return (on_mounted(p, m));
}

static int
on_mounter_failed(struct peer *p, struct msg *m)
{
	if (mounter_answered(peer_ctx(p)) == -1)
		return (-1);
	return (on_mount_failed(p, m));
}

static int
on_mounter_hello(struct peer *p, struct msg *m)
{
	struct warden	*w = peer_ctx(p);

	if (w->mounter_works)
		return (-1);
	if (strcmp(msg_str(m->env, "version"), WFSUP_VERSION) != 0)
		fatalx("going down: mounter is of another version");
	if (verify("mounter", w->mounter_pid, 0, UINT64_C(1) << CAP_SYS_ADMIN,
	    0) == -1)
		return (-1);
	w->mounter_works = 1;
	host_probe_idmap(w);
	return (0);
}

void
mounter_adopt(struct warden *w, int fd, pid_t pid)
{
	static const struct handler	 handlers[] = {
		{ IMSG_ROOM_HELLO,	on_mounter_hello },
		{ IMSG_MOUNTED,		on_mounter_mounted },
		{ IMSG_MOUNT_FAILED,	on_mounter_failed },
		{ 0, NULL }
	};
	static const struct peer_ops	 ops = {
		.self = WARDEN, .handlers = handlers, .gone = mounter_gone,
	};

	peer_check_handlers(WARDEN, MOUNTER, handlers);
	if ((w->mounter = peer_new(w->base, fd, MOUNTER, "mounter", &ops,
	    w)) == NULL ||
	    (w->mounter_late = evtimer_new(w->base, mounter_late, w)) == NULL)
		fatal("mounter");
	peer_allow_fds(w->mounter);
	peer_set_body_max(w->mounter, 0);
	w->mounter_pid = pid;
}

int
mount_send(struct warden *w, uint32_t id, int dir, int ns, int readonly)
{
	if (w->mounter == NULL) {
		(void)close(dir);
		(void)close(ns);
		return (-1);
	}
	if (w->mounts++ == 0)
		mounter_wait(w);
	peer_send(w->mounter, IMSG_MOUNT_DIR, id, dir, json_pack("{s:b}",
	    "readonly", readonly), NULL, 0);
	peer_send(w->mounter, IMSG_MOUNT_IDMAP, id, ns, NULL, NULL, 0);
	return (0);
}

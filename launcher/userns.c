/*
 * User namespaces: held by a descriptor, made by a process that lives for a
 * moment. The maps of id-mapped mounts are such namespaces.
 */
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>

#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "idmap.h"
#include "launcher.h"
#include "log.h"

#define TOOL_IDS	65536	/* of tool jails, above the jails' base */
/* A group that a run's owner is in, besides his first: a jail has but one,
 * so this one is shown as an id of the starter's that is no jail's. */
#define GROUP_SEEN	65535

pid_t
clone_into(int flags, int *pidfd)
{
	return ((pid_t)syscall(SYS_clone, flags | SIGCHLD |
	    (pidfd != NULL ? CLONE_PIDFD : 0), 0, pidfd, 0, 0));
}

int
file_put(const char *path, const char *text)
{
	ssize_t	n;
	int	fd, saved;

	if ((fd = open(path, O_WRONLY | O_CLOEXEC)) == -1)
		return (-1);
	n = write(fd, text, strlen(text));
	saved = errno;
	(void)close(fd);
	errno = saved;
	return (n == (ssize_t)strlen(text) ? 0 : -1);
}

int
userns_map(pid_t pid, const char *uid_map, const char *gid_map)
{
	char	path[64];

	(void)snprintf(path, sizeof(path), "/proc/%d/uid_map", pid);
	if (file_put(path, uid_map) == -1)
		return (-1);
	(void)snprintf(path, sizeof(path), "/proc/%d/gid_map", pid);
	return (file_put(path, gid_map));
}

/* A user namespace with these maps, or -1 with errno set. */
static int
userns_open(const char *uid_map, const char *gid_map)
{
	char	path[64];
	pid_t	pid;
	int	fd = -1, saved;

	if ((pid = clone_into(CLONE_NEWUSER, NULL)) == -1)
		return (-1);
	if (pid == 0) {
		(void)prctl(PR_SET_PDEATHSIG, SIGKILL);
		for (;;)
			(void)pause();
	}
	(void)snprintf(path, sizeof(path), "/proc/%d/ns/user", pid);
	if (userns_map(pid, uid_map, gid_map) == 0)
		fd = open(path, O_RDONLY | O_CLOEXEC);
	saved = errno;
	(void)kill(pid, SIGKILL);
	/* Nobody's end is waited for here, so in the end there is no child. */
	while (waitpid(pid, NULL, 0) == -1 && errno == EINTR)
		;
	errno = saved;
	return (fd);
}

/* Turn each "inside outside count" of our own map into "inside inside". */
static void
identity_map(const char *path, char *map, size_t size)
{
	unsigned long	inside, outside, count;
	size_t		used = 0;
	FILE		*f;

	if ((f = fopen(path, "re")) == NULL)
		fatal("%s", path);
	while (used < size && fscanf(f, "%lu %lu %lu", &inside, &outside,
	    &count) == 3)
		used += (size_t)snprintf(map + used, size - used,
		    "%lu %lu %lu\n", inside, inside, count);
	(void)fclose(f);
	if (used == 0 || used >= size)
		fatalx("%s: not understood", path);
}

int
userns_identity(void)
{
	char	uids[4096], gids[4096];
	int	fd;

	identity_map("/proc/self/uid_map", uids, sizeof(uids));
	identity_map("/proc/self/gid_map", gids, sizeof(gids));
	if ((fd = userns_open(uids, gids)) == -1)
		fatal("the rooms' user namespace (this kernel may not allow "
		    "user namespaces, or CAP_SETFCAP is missing)");
	return (fd);
}

/* ---- maps, asked for by the warden ---- */

static void
map_answer(struct peer *p, uint32_t id, const char *uids, const char *gids)
{
	int	fd;

	if ((fd = userns_open(uids, gids)) != -1)
		peer_send(p, IMSG_MAP, id, fd, NULL, NULL, 0);
	else
		peer_send(p, IMSG_MAP_FAILED, id, -1, json_pack("{s:s}",
		    "error", strerror(errno)), NULL, 0);
}

/* A workspace: the jail's where it is uid's and gid's. group is shown, too;
 * it may be gid again. */
int
on_map_workspace(struct peer *p, struct msg *m)
{
	const struct launcher	*la = peer_ctx(p);
	uid_t			 base = la->jail_base;
	uint32_t		 to = base + TOOL_IDS +
				    (uint32_t)msg_int(m->env, "jail");
	struct idmap		 user, groups[2];
	char			 uids[IDMAP_SIZE], gids[IDMAP_SIZE];

	user.disk = (uint32_t)msg_int(m->env, "uid");
	groups[0].disk = (uint32_t)msg_int(m->env, "gid");
	groups[1].disk = (uint32_t)msg_int(m->env, "group");
	user.seen = groups[0].seen = to;
	groups[1].seen = base + TOOL_IDS + GROUP_SEEN;
	idmap_workspace(uids, sizeof(uids), &user, 1, base);
	idmap_workspace(gids, sizeof(gids), groups,
	    groups[0].disk == groups[1].disk ? 1 : 2, base);
	map_answer(p, m->id, uids, gids);
	return (0);
}

/* A layer belongs to the sandbox user, with the group of the workspace where
 * a copied file has that. */
int
on_map_layer(struct peer *p, struct msg *m)
{
	const struct launcher	*la = peer_ctx(p);
	const struct ids	*ids = &la->users[SANDBOX_USER];
	uint32_t		 tools = la->jail_base + TOOL_IDS;
	uint32_t		 to = tools +
				    (uint32_t)msg_int(m->env, "jail");
	struct idmap		 user = { ids->uid, to };
	struct idmap		 groups[] = { { ids->gid, to },
				    { tools + GROUP_SEEN,
				    tools + GROUP_SEEN } };
	char			 uids[IDMAP_SIZE], gids[IDMAP_SIZE];

	idmap_layer(uids, sizeof(uids), &user, 1);
	idmap_layer(gids, sizeof(gids), groups, 2);
	map_answer(p, m->id, uids, gids);
	return (0);
}

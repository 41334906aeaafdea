/*
 * A directory and an id map make a detached mount: nobody's until a jail
 * attaches it, without set-user-id bits and devices.
 */
#include <sys/mount.h>
#include <sys/syscall.h>

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "log.h"
#include "mount.h"

/* A directory that waits for its id map. */
struct mounter {
	int		dir;		/* -1: none does */
	int		readonly;
	uint32_t	id;
};

struct mounter *
mounter_new(void)
{
	struct mounter	*mo;

	if ((mo = calloc(1, sizeof(*mo))) == NULL)
		fatal("mounter_new");
	mo->dir = -1;
	return (mo);
}

/* Returns the mount, or -1 with errno set and the step that failed. */
static int
mount_idmapped(int dir, int userns, int readonly, const char **step)
{
	struct mount_attr	attr = {
		.attr_set = MOUNT_ATTR_IDMAP | MOUNT_ATTR_NOSUID |
		    MOUNT_ATTR_NODEV | (readonly ? MOUNT_ATTR_RDONLY : 0),
		.userns_fd = (uint64_t)userns,
	};
	int			fd, saved;

	*step = "open_tree";
	fd = (int)syscall(SYS_open_tree, dir, "", OPEN_TREE_CLONE |
	    OPEN_TREE_CLOEXEC | AT_EMPTY_PATH);
	if (fd == -1)
		return (-1);
	*step = "idmap";
	if (syscall(SYS_mount_setattr, fd, "", AT_EMPTY_PATH, &attr,
	    sizeof(attr)) == 0)
		return (fd);
	saved = errno;
	(void)close(fd);
	errno = saved;
	return (-1);
}

static int
on_mount_dir(struct peer *p, struct msg *m)
{
	struct mounter	*mo = peer_ctx(p);

	if (mo->dir != -1)
		return (-1);
	mo->dir = msg_take_fd(m);
	mo->readonly = msg_bool(m->env, "readonly");
	mo->id = m->id;
	return (0);
}

/* errno in words, where its own would be no help. */
static const char *
reason(const char *step)
{
	if (errno != EINVAL)
		return (strerror(errno));
	return (strcmp(step, "idmap") == 0 ?
	    "this file system has no id-mapped mounts" :
	    "it is in another mount namespace than wfsupd's");
}

static int
on_mount_idmap(struct peer *p, struct msg *m)
{
	struct mounter	*mo = peer_ctx(p);
	const char	*step;
	int		 fd;

	if (mo->dir == -1 || m->id != mo->id)
		return (-1);
	fd = mount_idmapped(mo->dir, m->fd, mo->readonly, &step);
	if (fd != -1)
		peer_send(p, IMSG_MOUNTED, m->id, fd, NULL, NULL, 0);
	else
		peer_send(p, IMSG_MOUNT_FAILED, m->id, -1, json_pack(
		    "{s:s,s:s}", "step", step, "error", reason(step)), NULL,
		    0);
	(void)close(mo->dir);
	mo->dir = -1;
	return (0);
}

const struct handler	mounter_handlers[] = {
	{ IMSG_MOUNT_DIR,	on_mount_dir },
	{ IMSG_MOUNT_IDMAP,	on_mount_idmap },
	{ 0, NULL }
};

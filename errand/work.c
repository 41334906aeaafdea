/*
 * The errands. Each answers once and ends the process; one that hangs, on a
 * file system that does not answer, is ended by its alarm.
 */
#include <sys/stat.h>

#include <errno.h>
#include <fcntl.h>
#include <seccomp.h>
#include <stdlib.h>
#include <unistd.h>

#include "errand.h"
#include "log.h"
#include "tree.h"

#define SECONDS		10
#define REMOVE_SECONDS	600

const int	errand_syscalls[] = {
	SCMP_SYS(openat), SCMP_SYS(mkdir), SCMP_SYS(mkdirat),
	SCMP_SYS(unlinkat), SCMP_SYS(rmdir), SCMP_SYS(fchmodat),
	SCMP_SYS(renameat), SCMP_SYS(getdents64), SCMP_SYS(getgroups),
	SCMP_SYS(alarm), -1
};

static void __attribute__((noreturn))
answer(struct peer *p, int error, int fd)
{
	if (error != 0 && fd != -1) {
		(void)close(fd);
		fd = -1;
	}
	peer_send(p, IMSG_ERRAND_DONE, 0, fd, json_pack("{s:i}", "error",
	    error), NULL, 0);
	peer_flush(p, SECONDS * 1000);
	exit(0);
}

static int
layer_make(const char *path, int *fd)
{
	static const char *const	 sub[] = { "upper", "work" };
	size_t				 i;

	if (mkdir(path, 0700) == -1 && errno != EEXIST)
		return (errno);
	*fd = open(path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	if (*fd == -1)
		return (errno);
	for (i = 0; i < sizeof(sub) / sizeof(sub[0]); i++)
		if (mkdirat(*fd, sub[i], 0755) == -1 && errno != EEXIST)
			return (errno);
	return (0);
}

static int
on_layer(struct peer *p, struct msg *m)
{
	int	error, fd = -1;

	(void)alarm(SECONDS);
	error = layer_make(msg_str(m->env, "path"), &fd);
	answer(p, error, fd);
}

static int
on_remove(struct peer *p, struct msg *m)
{
	(void)alarm(REMOVE_SECONDS);
	answer(p, tree_remove(msg_str(m->env, "path")), -1);
}

/* The same directory as it was then, or none. */
static int
directory_open(const json_t *env, int *fd)
{
	struct stat	st;

	*fd = open(msg_str(env, "path"), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (*fd == -1 || fstat(*fd, &st) == -1)
		return (errno);
	return ((int64_t)st.st_dev == msg_int(env, "dev") &&
	    (int64_t)st.st_ino == msg_int(env, "ino") ? 0 : ESTALE);
}

static int
on_open(struct peer *p, struct msg *m)
{
	int	error, fd = -1;

	(void)alarm(SECONDS);
	error = directory_open(m->env, &fd);
	answer(p, error, fd);
}

static int
on_group(struct peer *p, struct msg *m)
{
	answer(p, group_member((gid_t)msg_int(m->env, "gid")) ? 0 : EPERM,
	    -1);
}

const struct handler	errand_handlers[] = {
	{ IMSG_ERRAND_LAYER,	on_layer },
	{ IMSG_ERRAND_REMOVE,	on_remove },
	{ IMSG_ERRAND_OPEN,	on_open },
	{ IMSG_ERRAND_GROUP,	on_group },
	{ 0, NULL }
};

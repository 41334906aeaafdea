/*
 * The state directory and the control socket: made while there are rights to.
 */
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sysexits.h>
#include <time.h>
#include <unistd.h>

#include "launcher.h"
#include "log.h"

#define CLEAR_MS	100	/* between two looks at a socket in our place */
#define CLEAR_TRIES	20

void
wrong(const char *fmt, ...)
{
	char	text[1024];
	va_list	ap;

	va_start(ap, fmt);
	(void)vsnprintf(text, sizeof(text), fmt, ap);
	va_end(ap);
	log_warnx("%s", text);
	log_flush();
	exit(EX_CONFIG);
}

/*
 * A directory with this owner and mode. One that is there keeps what is in
 * it, but never another owner: it could have planted anything below.
 */
static void
make_dir(const char *path, uid_t uid, gid_t gid, mode_t mode)
{
	struct stat	st;

	if (mkdir(path, mode) == 0) {
		if (chmod(path, mode) == -1 || chown(path, uid, gid) == -1)
			fatal("%s", path);
	} else if (errno != EEXIST)
		fatal("%s", path);
	if (lstat(path, &st) == -1)
		fatal("%s", path);
	if (!S_ISDIR(st.st_mode) || st.st_uid != uid ||
	    (st.st_mode & 07777 & ~mode) != 0)
		wrong("%s: must be a directory of uid %u with mode "
		    "%04o", path, uid, mode);
	if ((st.st_mode & 07777) != mode && chmod(path, mode) == -1)
		fatal("%s", path);
}

void
state_make(const struct launcher *la)
{
	const struct ids	*keeper = &la->users[KEEPER_USER];
	const struct ids	*sandbox = &la->users[SANDBOX_USER];
	char			 path[512];

	make_dir(la->state, 0, 0, 0711);
	(void)snprintf(path, sizeof(path), "%s/keeper", la->state);
	make_dir(path, keeper->uid, keeper->gid, 0700);
	(void)snprintf(path, sizeof(path), "%s/sandboxes", la->state);
	make_dir(path, sandbox->uid, sandbox->gid, 0700);
}

/* What a client would be told there: an errno, or 0. */
static int
try_socket(const struct sockaddr_un *sun)
{
	int	fd, error = 0;

	fd = socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
	if (fd == -1)
		fatal("socket");
	if (connect(fd, (const struct sockaddr *)sun, sizeof(*sun)) == -1)
		error = errno;
	(void)close(fd);
	return (error);
}

/*
 * A socket in our place: of a daemon that lives, or of somebody else, or left
 * over. The broker of a daemon that was killed lives a moment longer.
 */
static void
clear_socket(const char *path, const struct sockaddr_un *sun)
{
	const struct timespec	wait = { 0, CLEAR_MS * 1000000L };
	struct stat		st;
	int			error, tries = 0;

	if (lstat(path, &st) == -1)
		return;
	if (!S_ISSOCK(st.st_mode))
		wrong("%s: is there and is no socket", path);
	while (((error = try_socket(sun)) == 0 || error == EAGAIN) &&
	    ++tries < CLEAR_TRIES)
		(void)nanosleep(&wait, NULL);
	if (error == 0 || error == EAGAIN)
		wrong("%s: another daemon listens there", path);
	if (error != ECONNREFUSED)
		wrong("%s: is somebody else's socket: %s", path,
		    strerror(error));
	if (unlink(path) == -1)
		fatal("%s", path);
}

int
listen_make(const char *path, gid_t gid, mode_t mode)
{
	struct sockaddr_un	sun = { .sun_family = AF_UNIX };
	int			fd;

	/* Its length is in the catalogue. */
	(void)snprintf(sun.sun_path, sizeof(sun.sun_path), "%s", path);
	clear_socket(path, &sun);
	fd = socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
	/* The umask keeps others out until owner and mode are right. */
	if (fd == -1 || bind(fd, (struct sockaddr *)&sun, sizeof(sun)) == -1 ||
	    chown(path, 0, gid) == -1 || chmod(path, mode) == -1 ||
	    listen(fd, 128) == -1)
		fatal("%s", path);
	return (fd);
}

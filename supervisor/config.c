/*
 * The files that root's configuration names, and the configuration itself.
 */
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>

#include <errno.h>
#include <fcntl.h>
#include <grp.h>
#include <pwd.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sysexits.h>
#include <time.h>
#include <unistd.h>

#include "log.h"
#include "supervisor.h"

#define FILES_JAIL	4	/* for one jail, while it is made */
#define FILES_OWN	64	/* for all else */
#define CLEAR_MS	100	/* between two looks at a socket in our place */
#define CLEAR_TRIES	20

/* A regular file: of root's and with no right in mask, or, with a mask of 0,
 * anybody's. */
static int
open_file(const char *path, mode_t mask)
{
	struct stat	st;
	int		fd;

	fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
	if (fd == -1)
		return (-1);
	if (fstat(fd, &st) == -1 || !S_ISREG(st.st_mode) ||
	    (mask != 0 && st.st_uid != 0) || (st.st_mode & mask) != 0) {
		(void)close(fd);
		errno = EPERM;
		return (-1);
	}
	return (fd);
}

static int
name_user(void *arg, const char *name, uid_t *uid, gid_t *gid)
{
	const struct passwd	*pw;

	(void)arg;
	if ((pw = getpwnam(name)) == NULL)
		return (-1);
	*uid = pw->pw_uid;
	*gid = pw->pw_gid;
	return (0);
}

static int
name_group(void *arg, const char *name, gid_t *gid)
{
	const struct group	*gr;

	(void)arg;
	if ((gr = getgrnam(name)) == NULL)
		return (-1);
	*gid = gr->gr_gid;
	return (0);
}

void
config_wrong(const char *fmt, ...)
{
	char	text[1024];
	va_list	ap;

	va_start(ap, fmt);
	(void)vsnprintf(text, sizeof(text), fmt, ap);
	va_end(ap);
	log_warnx("%s", text);
	log_flush();
	_exit(EX_CONFIG);
}

void
config_report(const char *text, void *arg)
{
	(void)arg;
	log_warnx("%s", text);
}

struct conf *
config_load(const char *name, int debug, const struct conf_names *names,
    void (*report)(const char *, void *))
{
	char		 text[1024];
	struct conf	*conf;
	FILE		*f;
	int		 fd;

	if ((fd = open_file(name, S_IWGRP | S_IWOTH)) == -1) {
		(void)snprintf(text, sizeof(text), "%s: %s", name,
		    errno != EPERM ? strerror(errno) : "must be a regular "
		    "file, owned by root and not writable by group or others");
		report(text, NULL);
		return (NULL);
	}
	if ((f = fdopen(fd, "r")) == NULL)
		fatal("fdopen");
	conf = conf_parse(f, name, names, report, NULL);
	(void)fclose(f);
	if (conf != NULL && debug) {
		free(conf->log);
		conf->log = NULL;
	}
	return (conf);
}

struct conf *
config_first(const char *name, int debug)
{
	static const struct conf_names	names = { name_user, name_group, NULL };

	return (config_load(name, debug, &names, config_report));
}

/* Do two texts, each perhaps NULL, differ? */
static int
differ(const char *a, const char *b)
{
	return (a == NULL || b == NULL ? a != b : strcmp(a, b) != 0);
}

int
config_fixed(const struct conf *a, const struct conf *b)
{
	return (!differ(a->state, b->state) &&
	    !differ(a->control, b->control) &&
	    !differ(a->cgroup, b->cgroup) &&
	    /* No message tells a room to let go of a log socket. */
	    (a->log == NULL || b->log != NULL) &&
	    a->control_gid == b->control_gid &&
	    a->control_mode == b->control_mode &&
	    a->jail_base == b->jail_base &&
	    memcmp(&a->broker, &b->broker, sizeof(a->broker)) == 0 &&
	    memcmp(&a->keeper, &b->keeper, sizeof(a->keeper)) == 0 &&
	    memcmp(&a->gateway, &b->gateway, sizeof(a->gateway)) == 0 &&
	    memcmp(&a->sandbox, &b->sandbox, sizeof(a->sandbox)) == 0);
}

rlim_t
config_files(const struct conf *conf)
{
	const struct conf_profile	*p;
	int64_t				 n;

	n = (conf->jails + conf->spares) * FILES_JAIL + FILES_OWN;
	STAILQ_FOREACH(p, &conf->profiles, entry)
		if (n < p->files)
			n = p->files;
	return ((rlim_t)n);
}

int
config_key(const struct conf_provider *p)
{
	const char	*dir = getenv("CREDENTIALS_DIRECTORY");
	char		 path[512];

	if (p->key_file != NULL)
		return (open_file(p->key_file, 077));
	if (dir == NULL || strchr(p->credential, '/') != NULL) {
		errno = ENOENT;
		return (-1);
	}
	(void)snprintf(path, sizeof(path), "%s/%s", dir, p->credential);
	return (open_file(path, 077));
}

int
config_rules(const struct conf_provider *p)
{
	return (open_file(p->rules, 0));
}

static int
unix_address(struct sockaddr_un *sun, const char *path)
{
	memset(sun, 0, sizeof(*sun));
	sun->sun_family = AF_UNIX;
	if (strlen(path) >= sizeof(sun->sun_path)) {
		errno = ENAMETOOLONG;
		return (-1);
	}
	(void)strcpy(sun->sun_path, path);
	return (0);
}

int
config_log(const struct conf *conf)
{
	struct sockaddr_un	sun;
	int			fd;

	if (conf->log == NULL || unix_address(&sun, conf->log) == -1)
		return (-1);
	fd = socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
	/* If nobody listens yet, lines wait, and it is asked for again. */
	if (fd != -1)
		(void)connect(fd, (struct sockaddr *)&sun, sizeof(sun));
	return (fd);
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
		config_wrong("%s: must be a directory of uid %u with mode "
		    "%04o", path, uid, mode);
	if ((st.st_mode & 07777) != mode && chmod(path, mode) == -1)
		fatal("%s", path);
}

void
config_state(const struct conf *conf)
{
	char	path[512];

	make_dir(conf->state, 0, 0, 0711);
	(void)snprintf(path, sizeof(path), "%s/keeper", conf->state);
	make_dir(path, conf->keeper.uid, conf->keeper.gid, 0700);
	(void)snprintf(path, sizeof(path), "%s/sandboxes", conf->state);
	make_dir(path, conf->sandbox.uid, conf->sandbox.gid, 0700);
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
		config_wrong("%s: is there and is no socket", path);
	while (((error = try_socket(sun)) == 0 || error == EAGAIN) &&
	    ++tries < CLEAR_TRIES)
		(void)nanosleep(&wait, NULL);
	if (error == 0 || error == EAGAIN)
		config_wrong("%s: another daemon listens there", path);
	if (error != ECONNREFUSED)
		config_wrong("%s: is somebody else's socket: %s", path,
		    strerror(error));
	if (unlink(path) == -1)
		fatal("%s", path);
}

int
config_listen(const struct conf *conf)
{
	struct sockaddr_un	sun;
	int			fd;

	if (unix_address(&sun, conf->control) == -1)
		fatal("%s", conf->control);
	clear_socket(conf->control, &sun);
	fd = socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
	/* The umask keeps others out until owner and mode are right. */
	if (fd == -1 || bind(fd, (struct sockaddr *)&sun, sizeof(sun)) == -1 ||
	    chown(conf->control, 0, conf->control_gid) == -1 ||
	    chmod(conf->control, conf->control_mode) == -1 ||
	    listen(fd, 128) == -1)
		fatal("%s", conf->control);
	return (fd);
}

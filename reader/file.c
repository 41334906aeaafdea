/*
 * The configuration's file, and the accounts that it names.
 */
#include <sys/stat.h>

#include <errno.h>
#include <fcntl.h>
#include <grp.h>
#include <pwd.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "log.h"
#include "reader.h"

int
file_open(const char *path, mode_t mask)
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
report_log(const char *text, void *arg)
{
	(void)arg;
	log_warnx("%s", text);
}

struct conf *
file_read(const char *path, void (*report)(const char *, void *))
{
	static const struct conf_names	 names = { name_user, name_group, NULL };
	char				 text[1024];
	struct conf			*conf;
	FILE				*f;
	int				 fd;

	if ((fd = file_open(path, S_IWGRP | S_IWOTH)) == -1) {
		(void)snprintf(text, sizeof(text), "%s: %s", path,
		    errno != EPERM ? strerror(errno) : "must be a regular "
		    "file, owned by root and not writable by group or others");
		report(text, NULL);
		return (NULL);
	}
	if ((f = fdopen(fd, "r")) == NULL)
		fatal("fdopen");
	conf = conf_parse(f, path, &names, report, NULL);
	(void)fclose(f);
	return (conf);
}

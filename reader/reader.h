/*
 * The reader's parts. It keeps nothing from one question to the next: what is
 * in force comes with each.
 */
#ifndef READER_H
#define READER_H

#include <sys/resource.h>
#include <sys/types.h>

#include "conf.h"
#include "room.h"

struct reader {
	struct room	 room;
	const char	*file;		/* the configuration's */
	const char	*credentials;	/* their directory, or NULL */
};

/* file.c */
/* A regular file: of root's and with no right in mask, or, with a mask of 0,
 * anybody's. A descriptor, or -1 with errno set; EPERM: it is none such. */
int		 file_open(const char *path, mode_t mask);
/* The configuration; users and groups are of this system. Errors go to
 * report, as conf_parse() has them. */
struct conf	*file_read(const char *path,
		    void (*report)(const char *, void *));
/* To the log. */
void		 report_log(const char *, void *);

/* answer.c */
int		 on_conf_read(struct peer *, struct msg *);

/* fixed.c: pure. */
/* The envelope of CONF: a new reference. */
json_t		*fixed_json(const struct conf *, rlim_t files);
/* What of this envelope can't be put in that one's place: words of
 * wfsupd.conf(5), or NULL. */
const char	*fixed_differs(const json_t *old, const json_t *now);
/* How many files a process may have to have open. */
rlim_t		 fixed_files(const struct conf *);

/* secrets.c */
/* The body of SECRETS_ASK: a new reference. */
json_t		*secrets_json(const struct conf *);
/* Say which can't be opened, but for credentials of a unit that this is not
 * started by. Returns how many. */
int		 secrets_check(const struct conf *, const char *file,
		    const char *credentials);
int		 on_secrets_ask(struct peer *, struct msg *);

/* rights.c: root's files can be read, and nothing else be done. */
void		 rights_drop(void);

#endif

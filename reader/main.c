/*
 * The reader: reads root's configuration, looks up the accounts in it, and
 * opens keys and rules.
 *
 * User		root
 * Capabilities	none, bounding set empty
 * Files	all of the host's that root owns or anybody may read, read-only
 * Network	the host's: the user data base may be a directory service
 * Syscalls	all but the deny-list in rights.c
 * Peers	supervisor
 * Secrets	none: keys are opened and passed on, never read
 *
 * The user data base can be anything: files, a daemon, libraries of a
 * directory service, and it can take its time or crash. So who asks it is
 * nobody else, can be killed, and is started again.
 */
#include <stdio.h>
#include <stdlib.h>
#include <sysexits.h>
#include <unistd.h>

#include "log.h"
#include "reader.h"

static const struct handler	handlers[] = {
	{ IMSG_CONF_READ,	on_conf_read },
	{ IMSG_SECRETS_ASK,	on_secrets_ask },
	{ 0, NULL }
};

static void __attribute__((noreturn))
usage(void)
{
	fprintf(stderr, "wfsup-reader is started by wfsupd(8), not by hand\n"
	    "usage: wfsup-reader -f file [-c credentials] [-n | [-b boot] "
	    "[-d]]\n");
	exit(2);
}

/* wfsupd -n. */
static int
check(const struct reader *r)
{
	struct conf	*conf;
	int		 wrong;

	log_init("wfsupd", 0);
	if ((conf = file_read(r->file, report_log)) == NULL)
		return (EX_CONFIG);
	wrong = secrets_check(conf, r->file, r->credentials);
	conf_free(conf);
	if (wrong > 0)
		return (EX_CONFIG);
	fprintf(stderr, "%s: configuration is right\n", r->file);
	return (0);
}

int
main(int argc, char **argv)
{
	struct reader	 r = { .file = NULL };
	const char	*boot = NULL;
	int		 ch, debug = 0, only_check = 0;

	while ((ch = getopt(argc, argv, "b:c:df:n")) != -1)
		switch (ch) {
		case 'b':
			boot = optarg;
			break;
		case 'c':
			r.credentials = optarg;
			break;
		case 'd':
			debug = 1;
			break;
		case 'f':
			r.file = optarg;
			break;
		case 'n':
			only_check = 1;
			break;
		default:
			usage();
		}
	if (optind != argc || r.file == NULL)
		usage();
	if (only_check)
		return (check(&r));
	room_log("reader", boot, debug);
	room_prepare(&r.room);
	rights_drop();
	room_hello(&r.room, READER, handlers, &r);
	room_loop(&r.room);
}

/*
 * The supervisor: starts, confines, watches and ends everything else.
 *
 * User		root
 * Capabilities	KILL, bounding set the same
 * Files	none but /proc; at the end it removes the control socket
 * Network	none is used
 * Syscalls	allowed in rights.c: none that makes a process or changes ids
 * Peers	launcher, reader, warden, broker, keeper, gateway
 * Secrets	none: keys are passed on, never read
 */
#include <bsd/stdlib.h>
#include <err.h>
#include <libgen.h>
#include <limits.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sysexits.h>
#include <unistd.h>

#include "log.h"
#include "supervisor.h"

#ifndef LIBEXECDIR
#define LIBEXECDIR	"/usr/lib/wfsup"
#endif
#define CONF_FILE	"/etc/wfsup/wfsupd.conf"

/* ---- signals ---- */

static void
on_term(int sig, short what, void *arg)
{
	(void)what;
	log_info("signal %s: stopping", sigabbrev_np(sig));
	sup_stop(arg, 0);
}

static void
on_hup(int sig, short what, void *arg)
{
	(void)sig;
	(void)what;
	conf_reload(arg);
}

static void
catch(struct supervisor *sup, int sig, void (*fn)(int, short, void *))
{
	struct event	*ev;

	if ((ev = event_new(sup->base, sig, EV_SIGNAL | EV_PERSIST, fn,
	    sup)) == NULL || event_add(ev, NULL) == -1)
		fatalx("signal %d", sig);
}

/* ---- the start ---- */

static void __attribute__((noreturn))
usage(void)
{
	fprintf(stderr, "usage: wfsupd [-dnv] [-f file]\n");
	exit(2);
}

/* Are the rooms in this directory? Then that is it. */
static int
try_libexec(struct supervisor *sup, const char *dir, const char *below)
{
	char	path[PATH_MAX], *real;
	int	n = -1;

	(void)snprintf(path, sizeof(path), "%s%s/wfsup-broker", dir, below);
	if ((real = realpath(path, NULL)) == NULL)
		return (-1);
	if (access(real, X_OK) == 0)
		n = snprintf(sup->libexec, sizeof(sup->libexec), "%s",
		    dirname(real));
	free(real);
	return (n > 0 && (size_t)n < sizeof(sup->libexec) ? 0 : -1);
}

/* Our own directory, in a build tree; beside it, in a tree that was installed
 * below some other root; else where they are installed. */
static void
find_libexec(struct supervisor *sup)
{
	char	self[PATH_MAX - 64];
	ssize_t	n;

	n = readlink("/proc/self/exe", self, sizeof(self) - 1);
	self[n > 0 ? n : 0] = '\0';
	(void)dirname(self);
	if (n <= 0 || (try_libexec(sup, self, "") == -1 &&
	    try_libexec(sup, self, "/../lib/wfsup") == -1))
		(void)snprintf(sup->libexec, sizeof(sup->libexec), "%s",
		    LIBEXECDIR);
}

static void
loop_make(struct supervisor *sup)
{
	struct event_config	*config;

	if ((config = event_config_new()) == NULL ||
	    event_config_set_flag(config, EVENT_BASE_FLAG_IGNORE_ENV) == -1 ||
	    (sup->base = event_base_new_with_config(config)) == NULL)
		fatalx("event_base_new");
	event_config_free(config);
	log_loop(sup->base, conf_log_open, sup);
	catch(sup, SIGTERM, on_term);
	catch(sup, SIGINT, on_term);
	catch(sup, SIGHUP, on_hup);
}

/* The launcher is all that needs more rights than will be left. */
static void
prepare(struct supervisor *sup)
{
	(void)snprintf(sup->boot, sizeof(sup->boot), "%08x%08x",
	    arc4random(), arc4random());
	log_set_boot(sup->boot);
	if (signal(SIGPIPE, SIG_IGN) == SIG_ERR || chdir("/") == -1)
		fatal("start");
	json_object_seed(0);
	loop_make(sup);
	children_init(sup);
	launcher_start(sup);
	rights_drop();
}

static void
run(struct supervisor *sup)
{
	prepare(sup);
	watch_init(sup);
	notify_init(sup);
	(void)event_base_dispatch(sup->base);
	if (sup->control != -1)
		(void)unlink(conf_text(sup, "control"));
	log_info("stopped");
}

/* The reader checks the configuration in our place. */
static void __attribute__((noreturn))
check(const struct supervisor *sup)
{
	char	reader[256];

	(void)snprintf(reader, sizeof(reader), "%s/wfsup-reader",
	    sup->libexec);
	(void)execl(reader, reader, "-n", "-f", sup->conf_name,
	    getenv("CREDENTIALS_DIRECTORY") == NULL ? NULL : "-c",
	    getenv("CREDENTIALS_DIRECTORY"), (char *)NULL);
	fatal("%s", reader);
}

static void
parse_options(struct supervisor *sup, int *only_check, int argc, char **argv)
{
	int	ch;

	while ((ch = getopt(argc, argv, "df:nv")) != -1)
		switch (ch) {
		case 'd':
			sup->debug = 1;
			break;
		case 'f':
			/* The reader's directory is another. */
			sup->conf_name = optarg[0] == '/' ? optarg :
			    realpath(optarg, NULL);
			if (sup->conf_name == NULL)
				err(EX_CONFIG, "%s", optarg);
			break;
		case 'n':
			*only_check = 1;
			break;
		case 'v':
			sup->verbose = 1;
			break;
		default:
			usage();
		}
	if (optind != argc)
		usage();
}

int
main(int argc, char **argv)
{
	struct supervisor	sup = {
		.conf_name = CONF_FILE, .control = -1,
	};
	int			only_check = 0;

	parse_options(&sup, &only_check, argc, argv);
	log_init("wfsupd", sup.verbose);
	find_libexec(&sup);
	if (only_check)
		check(&sup);
	if (geteuid() != 0) {
		fprintf(stderr, "wfsupd: must be started by root\n");
		return (EX_CONFIG);
	}
	run(&sup);
	log_flush();
	return (sup.status);
}

/*
 * The supervisor: starts, confines, watches and ends everything else.
 *
 * User		root
 * Capabilities	KILL, bounding set the same
 * Files	root's configuration, keys and rules; the names of the state
 *		directory, not what is in it
 * Network	none is used
 * Syscalls	allowed in rights.c: none that makes a process or changes ids
 * Peers	launcher, warden, broker, keeper, gateway
 * Secrets	none: keys are opened and passed on, never read
 */
#include <sys/resource.h>
#include <sys/stat.h>

#include <bsd/stdlib.h>
#include <errno.h>
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
#define FILES_USUAL	65536	/* that may be open, where it is allowed */
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
	reload(arg);
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
	log_loop(sup->base, reload_log, sup);
	catch(sup, SIGTERM, on_term);
	catch(sup, SIGINT, on_term);
	catch(sup, SIGHUP, on_hup);
}

/* Some for each jail, here and in the broker; and a jail's limit can't be
 * more than ours. */
static void
raise_files(const struct conf *conf)
{
	struct rlimit	rl;
	rlim_t		need = config_files(conf);

	if (getrlimit(RLIMIT_NOFILE, &rl) == -1)
		fatal("getrlimit");
	if (rl.rlim_max < need)
		config_wrong("no more than %llu files may be open, and these "
		    "limits need %llu: raise LimitNOFILE= of the unit (ulimit "
		    "-Hn), or lower \"limit jails\" or a profile's files",
		    (unsigned long long)rl.rlim_max, (unsigned long long)need);
	if (need < FILES_USUAL)
		need = FILES_USUAL;
	rl.rlim_cur = rl.rlim_max < need ? rl.rlim_max : need;
	if (setrlimit(RLIMIT_NOFILE, &rl) == -1)
		fatal("setrlimit");
}

/* All that needs more rights than will be left. */
static void
prepare(struct supervisor *sup)
{
	int	log;

	(void)umask(077);
	(void)snprintf(sup->boot, sizeof(sup->boot), "%08x%08x",
	    arc4random(), arc4random());
	log_set_boot(sup->boot);
	errno = 0;
	log = config_log(sup->conf);
	if (sup->conf->log != NULL && errno != 0)
		log_warn("%s: %s", sup->conf->log, log == -1 ?
		    "logging to standard error" :
		    "lines wait until somebody listens");
	log_set_socket(log);
	raise_files(sup->conf);
	if (signal(SIGPIPE, SIG_IGN) == SIG_ERR || chdir("/") == -1)
		fatal("start");
	json_object_seed(0);
	config_state(sup->conf);
	sup->control = config_listen(sup->conf);
	loop_make(sup);
	children_init(sup);
	launcher_start(sup);
}

static void
run(struct supervisor *sup)
{
	prepare(sup);
	rights_drop();
	watch_init(sup);
	notify_init(sup);
	reload_init(sup);
	(void)event_base_dispatch(sup->base);
	(void)unlink(sup->conf->control);
	log_info("stopped");
}

static void
parse_options(struct supervisor *sup, int *check, int argc, char **argv)
{
	int	ch;

	while ((ch = getopt(argc, argv, "df:nv")) != -1)
		switch (ch) {
		case 'd':
			sup->debug = 1;
			break;
		case 'f':
			sup->conf_name = optarg;
			break;
		case 'n':
			*check = 1;
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
		.conf_name = CONF_FILE,
	};
	int			check = 0;

	parse_options(&sup, &check, argc, argv);
	log_init("wfsupd", sup.verbose);
	if ((sup.conf = config_first(sup.conf_name, sup.debug)) == NULL)
		return (EX_CONFIG);
	if (check) {
		fprintf(stderr, "%s: configuration is right\n", sup.conf_name);
		conf_free(sup.conf);
		return (0);
	}
	if (geteuid() != 0) {
		fprintf(stderr, "wfsupd: must be started by root\n");
		return (EX_CONFIG);
	}
	find_libexec(&sup);
	run(&sup);
	log_flush();
	return (sup.status);
}

/*
 * The start of a starter, up to its first message.
 */
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/signalfd.h>
#include <sys/stat.h>

#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "filter.h"
#include "log.h"
#include "room.h"
#include "starter_impl.h"
#include "steps.h"

static void __attribute__((noreturn))
usage(const char *name)
{
	fprintf(stderr, "wfsup-%s is started by wfsupd(8), not by hand\n"
	    "usage: wfsup-%s [-d] [-b boot] [-f step]\n", name, name);
	exit(2);
}

static void
parse_options(struct starter *st, int argc, char **argv)
{
	const char	*boot = NULL;
	int		 ch, debug = 0;

	while ((ch = getopt(argc, argv, "b:df:")) != -1)
		switch (ch) {
		case 'b':
			boot = optarg;
			break;
		case 'd':
			debug = 1;
			break;
		case 'f':	/* for tests: let this step fail */
			st->fail = optarg;
			break;
		default:
			usage(st->ops->name);
		}
	if (optind != argc)
		usage(st->ops->name);
	log_init(st->ops->name, debug);
	if (boot != NULL)
		log_set_boot(boot);
}

/* Descriptors: the warden's socket, perhaps the log's, /dev/null. */
static void
starter_open(struct starter *st)
{
	sigset_t	set;

	/* What we make is for a jail's uid to see, whatever our parent had. */
	(void)umask(022);
	if (fcntl(ROOM_FD, F_SETFD, FD_CLOEXEC) == -1)
		usage(st->ops->name);
	if (fcntl(ROOM_LOG_FD, F_SETFD, FD_CLOEXEC) == 0)
		log_set_socket(ROOM_LOG_FD);
	imsgbuf_init(&st->ibuf, ROOM_FD);
	imsgbuf_allow_fdpass(&st->ibuf);
	if ((st->null = open("/dev/null", O_RDWR | O_CLOEXEC)) == -1)
		fatal("/dev/null");
	(void)sigemptyset(&set);
	(void)sigaddset(&set, SIGCHLD);
	if (sigprocmask(SIG_BLOCK, &set, NULL) == -1 ||
	    signal(SIGPIPE, SIG_IGN) == SIG_ERR)
		fatal("signals");
	st->signals = signalfd(-1, &set, SFD_NONBLOCK | SFD_CLOEXEC);
	if (st->signals == -1)
		fatal("signalfd");
}

/* Give up what no jail's construction needs. */
static void
starter_confine(struct starter *st)
{
	struct rlimit	none = { 0, 0 };

	if (setrlimit(RLIMIT_CORE, &none) == -1)
		fatal("core limit");
	if (caps_keep(st->ops->keep) == -1)
		fatal("capabilities");
	/* After the change of rights, which may clear it. */
	if (prctl(PR_SET_PDEATHSIG, SIGKILL) == -1)
		fatal("parent-death signal");
	if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == -1)
		fatal("no_new_privs");
}

/*
 * No user namespace below ours, and nothing that watches files. The limits
 * are our user namespace's own, so the host's stay as they are. The filters
 * refuse these as well.
 */
static void
starter_no_more(void)
{
	static const char *const	limits[] = {
		"/proc/sys/user/max_user_namespaces",
		"/proc/sys/user/max_inotify_instances",
		"/proc/sys/user/max_fanotify_groups",
	};
	size_t				i;
	int				fd;

	for (i = 0; i < sizeof(limits) / sizeof(limits[0]); i++) {
		fd = open(limits[i], O_WRONLY | O_CLOEXEC);
		if (fd == -1 || write(fd, "0", 1) != 1)
			log_warn("%s stays as it is", limits[i]);
		if (fd != -1)
			(void)close(fd);
	}
}

/* Pages mapped by us, in bytes: what a jail's address space begins with. */
static int64_t
mapped_bytes(void)
{
	FILE	*f;
	long	 pages;
	int	 n;

	if ((f = fopen("/proc/self/statm", "re")) == NULL)
		return (0);
	n = fscanf(f, "%ld", &pages);
	(void)fclose(f);
	return (n == 1 ? pages * (int64_t)sysconf(_SC_PAGESIZE) : 0);
}

void
starter_main(const struct starter_ops *ops, int argc, char **argv)
{
	struct starter	st = { .ops = ops };

	TAILQ_INIT(&st.jails);
	parse_options(&st, argc, argv);
	starter_open(&st);
	json_object_seed(0);
	if (getuid() != 0 || geteuid() != 0)
		fatalx("not root of a user namespace");
	ops->load(&st);
	if ((st.mapped = mapped_bytes()) == 0)
		fatalx("/proc/self/statm can't be read");
	starter_no_more();
	if (ops->root != NULL)
		ops->root(&st);
	starter_confine(&st);
	if (filter_load(st.own) == -1)
		fatal("filter");
	starter_send(&st, IMSG_ROOM_HELLO, -1,
	    json_pack("{s:s}", "version", WFSUP_VERSION));
	starter_loop(&st);
}

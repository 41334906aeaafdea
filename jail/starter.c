/*
 * The loop of a starter: parts and orders from the warden in, pidfds and
 * ends of jails out. It blocks, has no event library and no thread, so that
 * a fork of it is small.
 */
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/signalfd.h>
#include <sys/stat.h>
#include <sys/uio.h>
#include <sys/wait.h>

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "canary.h"
#include "filter.h"
#include "log.h"
#include "room.h"
#include "starter.h"
#include "steps.h"
#include "words.h"

/* ---- to the warden ---- */

/* Wait until the socket has taken all: the starter has nothing better to do. */
static void
starter_flush(struct starter *st)
{
	struct pollfd	pfd = { .fd = st->ibuf.fd, .events = POLLOUT };

	while (imsgbuf_write(&st->ibuf) == 0) {
		if (st->ibuf.queued == 0)
			return;
		if (poll(&pfd, 1, -1) == -1 && errno != EINTR)
			fatal("poll");
	}
	fatal("warden is gone");
}

/* Takes env and fd. */
static void
starter_send(struct starter *st, uint32_t type, int fd, json_t *env)
{
	struct iovec	 iov;
	char		*text;

	if (env == NULL || (text = json_dumps(env, JSON_COMPACT)) == NULL)
		fatalx("message %#x: can't be encoded", type);
	iov.iov_base = text;
	iov.iov_len = strlen(text);
	if (imsg_composev(&st->ibuf, type, 0, fd, &iov, 1) == -1)
		fatal("message %#x", type);
	starter_flush(st);
	free(text);
	json_decref(env);
}

static void
send_unmade(struct starter *st, const struct jail *j, const char *step,
    const char *error)
{
	log_warnx("jail %lld: step %s: %s", (long long)j->number, step, error);
	starter_send(st, IMSG_JAIL_UNMADE, -1, json_pack("{s:I,s:s,s:s}",
	    "jail", (json_int_t)j->number, "step", step, "error", error));
}

static void
send_jail(struct starter *st, uint32_t type, const struct jail *j, int fd)
{
	starter_send(st, type, fd, json_pack("{s:I}", "jail",
	    (json_int_t)j->number));
}

/* ---- a jail's life ---- */

static void
jail_spawn(struct starter *st, struct jail *j)
{
	const char	go = 0;
	int		pidfd;

	if (j->socket == -1) {
		send_unmade(st, j, "parts", "no socket");
		jail_free(&st->jails, j);
		return;
	}
	if ((pidfd = spawn_jail(st, j)) == -1) {
		send_unmade(st, j, "clone", strerror(errno));
		jail_free(&st->jails, j);
		return;
	}
	j->state = JAIL_BUILDING;
	send_jail(st, IMSG_JAIL_SPAWNED, j, pidfd);
	jail_close_parts(j);
	/* A child that is dead by now is seen at its reaping. */
	if (send(j->report, &go, 1, MSG_NOSIGNAL) == -1 && errno != EPIPE &&
	    errno != ECONNRESET)
		fatal("jail %lld: go", (long long)j->number);
}

/* The child has said how far it came, or has died. */
static void
jail_reported(struct starter *st, struct jail *j)
{
	int	error, step;

	step = spawn_report(j, &error);
	(void)close(j->report);
	j->report = -1;
	j->state = step == SPAWN_CONFINED ? JAIL_RUNNING : JAIL_FAILED;
	if (step == SPAWN_CONFINED)
		send_jail(st, IMSG_JAIL_CONFINED, j, -1);
	else if (step == SPAWN_SILENT)
		send_unmade(st, j, "silent", "died without a word");
	else
		send_unmade(st, j, st->ops->steps[step].name,
		    strerror(error));
}

static int64_t
cpu_ms(const struct rusage *ru)
{
	return ((int64_t)(ru->ru_utime.tv_sec + ru->ru_stime.tv_sec) * 1000 +
	    (ru->ru_utime.tv_usec + ru->ru_stime.tv_usec) / 1000);
}

/* How each attempt of a canary ended, up to the one that it died of. */
static void
rows_send(struct starter *st, const struct jail *j, int status)
{
	const enum jail_kind	 kind = st->ops->kind;
	const struct attempt	*a;
	struct canary_row	 row;
	char			 layers[160];
	size_t			 count = 0, n;

	while (attempt_at(kind, count) != NULL)
		count++;
	for (n = 0; n < count; n++) {
		if (canary_row(j->canary, kind, n, status, &row) == -1)
			continue;
		a = attempt_at(kind, n);
		canary_layers(a, kind, layers, sizeof(layers));
		starter_send(st, IMSG_CANARY_ROW, -1, json_pack(
		    "{s:I,s:I,s:I,s:s,s:b,s:s,s:s}",
		    "jail", (json_int_t)j->number, "row", (json_int_t)n,
		    "rows", (json_int_t)count, "name", a->name,
		    "open", row.open, "how", row.how, "layers", layers));
	}
}

static void
jail_reaped(struct starter *st, struct jail *j, int status,
    const struct rusage *ru)
{
	if (j->report != -1)
		jail_reported(st, j);
	if (j->canary != NULL)
		rows_send(st, j, status);
	starter_send(st, IMSG_JAIL_REAPED, -1, json_pack(
	    "{s:I,s:i,s:I,s:I,s:s*}", "jail", (json_int_t)j->number,
	    "status", status, "cpu_ms", (json_int_t)cpu_ms(ru),
	    "maxrss", (json_int_t)ru->ru_maxrss * 1024,
	    "words", words_said(j->words)));
	jail_free(&st->jails, j);
}

/* We are pid 1: reap all there is, also what is not a jail's init. */
static void
starter_reap(struct starter *st)
{
	struct signalfd_siginfo	 si;
	struct rusage		 ru;
	struct jail		*j;
	pid_t			 pid;
	int			 status;

	/* One signal may stand for many children. */
	while (read(st->signals, &si, sizeof(si)) == sizeof(si))
		continue;
	while ((pid = wait4(-1, &status, WNOHANG, &ru)) > 0)
		if ((j = jail_find_pid(&st->jails, pid)) != NULL)
			jail_reaped(st, j, status, &ru);
}

/* ---- from the warden ---- */

/* The jail that a message is about: one that was not spawned yet. */
static struct jail *
jail_of(struct starter *st, const json_t *env)
{
	struct jail	*j;
	int64_t		 number = msg_int(env, "jail");

	if ((j = jail_find(&st->jails, number)) == NULL)
		j = jail_new(&st->jails, number);
	if (j == NULL)
		fatal("jail_new");
	if (j->state != JAIL_COLLECTING)
		fatalx("jail %lld: spawned twice", (long long)number);
	return (j);
}

static void
part_in(struct starter *st, const json_t *env, int fd)
{
	struct jail	*j = jail_of(st, env);

	if (jail_part(j, msg_str(env, "part"), fd) == -1)
		fatalx("jail %lld: can't have a part \"%s\"",
		    (long long)j->number, msg_str(env, "part"));
}

static void
canary_in(struct starter *st, const json_t *env)
{
	struct jail	*j = jail_of(st, env);

	if (j->canary != NULL)
		fatalx("jail %lld: can't be a canary", (long long)j->number);
	j->canary = canary_new((size_t)msg_int(env, "first"));
	if (j->canary == NULL)
		fatal("canary");
}

static void
spawn_in(struct starter *st, const json_t *env)
{
	struct jail	*j = jail_of(st, env);

	j->uid = (uid_t)msg_int(env, "uid");
	j->memory = msg_int(env, "memory");
	j->pids = msg_int(env, "pids");
	j->cpu = msg_int(env, "cpu");
	j->fsize = msg_int(env, "fsize");
	j->files = msg_int(env, "files");
	j->ahead = msg_bool(env, "ahead");
	jail_spawn(st, j);
}

/* Obeyed once: a reload of the configuration changes what the next start
 * does. */
static void
config_in(struct starter *st, const char *body, size_t len)
{
	json_t	*config;

	if (st->configured)
		return;
	config = json_loadb(body, len, JSON_REJECT_DUPLICATES, NULL);
	if (!json_is_object(config))
		fatalx("configuration: not an object");
	if (st->ops->configure != NULL)
		st->ops->configure(st, config);
	json_decref(config);
	st->configured = 1;
}

static void
start_in(struct starter *st)
{
	if (!st->configured)
		fatalx("started without a configuration");
	starter_send(st, IMSG_ROOM_READY, -1, json_object());
}

/*
 * The checked envelope of a message, a new reference; *body is what follows
 * it, or NULL. What the warden sends is right or we are no use.
 */
static json_t *
message_check(const struct starter *st, const struct msgdef *def,
    const struct imsg *imsg, const char **body)
{
	size_t	 len = imsg->datalen;
	json_t	*env;
	char	 why[128];

	if (def == NULL || (def->to & (int)st->ops->self) == 0)
		fatalx("message %#x is not for us", imsg->hdr.type);
	if (((def->flags & MF_FD) != 0) != (imsg->fd != -1))
		fatalx("%s: descriptor", def->name);
	if ((*body = memchr(imsg->data, '\n', len)) != NULL)
		len = (size_t)((*body)++ - imsg->data);
	if ((env = msg_parse(imsg->data, len, why, sizeof(why))) == NULL ||
	    msgdef_check(def, env, why, sizeof(why)) == -1)
		fatalx("%s: %s", def->name, why);
	if (json_object_get(env, "parts") != NULL)
		fatalx("%s: longer than a packet", def->name);
	return (env);
}

static void
message_in(struct starter *st, struct imsg *imsg)
{
	const struct msgdef	*def = msgdef_find(imsg->hdr.type);
	const char		*body;
	json_t			*env;

	env = message_check(st, def, imsg, &body);
	switch (def->type) {
	case IMSG_ROOM_CONFIG:
		config_in(st, body == NULL ? "" : body, body == NULL ? 0 :
		    (size_t)(imsg->data + imsg->datalen - body));
		break;
	case IMSG_ROOM_START:
		start_in(st);
		break;
	case IMSG_JAIL_PART:
		part_in(st, env, imsg_get_fd(imsg));
		break;
	case IMSG_CANARY:
		canary_in(st, env);
		break;
	case IMSG_JAIL_SPAWN:
		spawn_in(st, env);
		break;
	default:
		fatalx("%s: no handler", def->name);
	}
	json_decref(env);
}

static void
starter_in(struct starter *st)
{
	struct imsg	imsg;

	switch (imsgbuf_get(&st->ibuf, &imsg)) {
	case IMSG_GOT:
		message_in(st, &imsg);
		imsg_free(&imsg);
		break;
	case IMSG_AGAIN:
		break;
	case IMSG_EOF:
		/* All jails are in our pid namespace and end with us. */
		exit(0);
	case IMSG_BAD:
		fatalx("malformed packet");
	case IMSG_ERROR:
		fatal("receive");
	}
}

/* ---- the loop ---- */

/* The jails under construction, each at the place of its pollfd. */
static size_t
poll_fill(struct starter *st, struct pollfd **pfd, struct jail ***who)
{
	struct jail	*j;
	size_t		 n = 2;

	TAILQ_FOREACH(j, &st->jails, entry)
		n += j->report != -1;
	*pfd = reallocarray(*pfd, n, sizeof(**pfd));
	*who = reallocarray(*who, n, sizeof(**who));
	if (*pfd == NULL || *who == NULL)
		fatal("poll");
	(*pfd)[0] = (struct pollfd){ .fd = st->ibuf.fd, .events = POLLIN };
	(*pfd)[1] = (struct pollfd){ .fd = st->signals, .events = POLLIN };
	n = 2;
	TAILQ_FOREACH(j, &st->jails, entry)
		if (j->report != -1) {
			(*pfd)[n] = (struct pollfd){ .fd = j->report,
			    .events = POLLIN };
			(*who)[n++] = j;
		}
	return (n);
}

static void __attribute__((noreturn))
starter_loop(struct starter *st)
{
	struct pollfd	 *pfd = NULL;
	struct jail	**who = NULL;
	size_t		  i, n;

	for (;;) {
		n = poll_fill(st, &pfd, &who);
		if (poll(pfd, n, -1) == -1) {
			if (errno == EINTR)
				continue;
			fatal("poll");
		}
		/* Reports before deaths, and deaths before new orders. */
		for (i = 2; i < n; i++)
			if (pfd[i].revents != 0)
				jail_reported(st, who[i]);
		if (pfd[1].revents != 0)
			starter_reap(st);
		if (pfd[0].revents != 0)
			starter_in(st);
	}
}

/* ---- the start ---- */

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

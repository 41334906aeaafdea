/*
 * Jobs: fork, become somebody, do it, pass the result back.
 */
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/uio.h>

#include <errno.h>
#include <fcntl.h>
#include <grp.h>
#include <pwd.h>
#include <signal.h>
#include <stdlib.h>
#include <unistd.h>

#include "imsg.h"
#include "job.h"
#include "log.h"

#define JOBS_MAX	32	/* at once; the others wait */
#define JOBS_WAIT	16384	/* no peer has a reason to ask for more */

struct job {
	STAILQ_ENTRY(job)	 entry;
	uid_t			 uid;
	gid_t			 gid;
	struct supervisor	*sup;
	const struct job_def	*def;
	void			*arg;
	struct imsgbuf		 ibuf;
	struct event		*ev;
};

static void
job_free(struct job *job)
{
	if (job->ev != NULL)
		event_free(job->ev);
	imsgbuf_clear(&job->ibuf);
	(void)close(job->ibuf.fd);
	free(job);
}

/* ---- in the child ---- */

static int
become(uid_t uid, gid_t gid, int groups)
{
	struct passwd	*pw;

	if (groups && (pw = getpwuid(uid)) != NULL) {
		if (initgroups(pw->pw_name, gid) == -1)
			return (-1);
	} else if (setgroups(0, NULL) == -1)
		return (-1);
	if (setresgid(gid, gid, gid) == -1 || setresuid(uid, uid, uid) == -1)
		return (-1);
	return (0);
}

/*
 * Nothing of the supervisor's stays open but the way back, and since the ids
 * change, no process of that user can trace this one.
 */
static void __attribute__((noreturn))
job_child(const struct job *job, int sock)
{
	struct imsgbuf	ibuf;
	sigset_t	none;
	int		error, fd = -1;

	if (dup2(sock, 3) == -1 || close_range(4, ~0U, 0) == -1)
		_exit(1);
	(void)signal(SIGALRM, SIG_DFL);
	(void)sigemptyset(&none);
	(void)sigprocmask(SIG_SETMASK, &none, NULL);
	(void)umask(022);
	(void)alarm((unsigned)job->def->seconds);
	if (become(job->uid, job->gid, job->def->groups) == -1 ||
	    prctl(PR_SET_PDEATHSIG, SIGKILL) == -1)
		error = errno;
	else
		error = job->def->run(job->arg, &fd);
	imsgbuf_init(&ibuf, 3);
	if (imsg_composev(&ibuf, 1, (uint32_t)error, fd, NULL, 0) == -1 ||
	    imsgbuf_write(&ibuf) == -1)
		_exit(1);
	_exit(0);
}

/* ---- in the supervisor ---- */

static void	jobs_next(struct supervisor *);

static void
job_done(int fd, short what, void *arg)
{
	struct job		*job = arg;
	struct supervisor	*sup = job->sup;
	struct imsg		 imsg;
	int			 error = what & EV_TIMEOUT ? ETIMEDOUT : EIO;

	(void)fd;
	fd = -1;
	if ((what & EV_READ) != 0 &&
	    imsgbuf_get(&job->ibuf, &imsg) == IMSG_GOT) {
		error = (int)imsg.hdr.peerid;
		fd = imsg_get_fd(&imsg);
		imsg_free(&imsg);
	}
	job->def->done(sup, job->arg, error, fd);
	job_free(job);
	sup->jobs_running--;
	sup->jobs_count--;
	jobs_next(sup);
}

static void
job_fork(struct job *job)
{
	struct timeval	limit = { job->def->seconds + 1, 0 };
	int		fds[2];
	pid_t		pid;

	if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_NONBLOCK | SOCK_CLOEXEC,
	    0, fds) == -1)
		fatal("job: socketpair");
	imsgbuf_init(&job->ibuf, fds[0]);
	imsgbuf_allow_fdpass(&job->ibuf);
	if ((job->ev = event_new(job->sup->base, fds[0], EV_READ, job_done,
	    job)) == NULL || event_add(job->ev, &limit) == -1)
		fatalx("job: event");
	if ((pid = fork()) == 0)
		job_child(job, fds[1]);
	/* Without a child its end closes here, and the job has failed. */
	if (pid == -1)
		log_warn("job: fork");
	(void)close(fds[1]);
}

static void
jobs_next(struct supervisor *sup)
{
	struct job	*job;

	while (sup->jobs_running < JOBS_MAX &&
	    (job = STAILQ_FIRST(&sup->jobs)) != NULL) {
		STAILQ_REMOVE_HEAD(&sup->jobs, entry);
		sup->jobs_running++;
		job_fork(job);
	}
}

void
job_start(struct supervisor *sup, const struct job_def *def, uid_t uid,
    gid_t gid, void *arg)
{
	struct job	*job;

	if ((job = calloc(1, sizeof(*job))) == NULL)
		fatal("job_start");
	job->sup = sup;
	job->def = def;
	job->uid = uid;
	job->gid = gid;
	job->arg = arg;
	sup->jobs_count++;
	STAILQ_INSERT_TAIL(&sup->jobs, job, entry);
	jobs_next(sup);
}

int
job_flood(const struct supervisor *sup)
{
	return (sup->jobs_count >= JOBS_WAIT);
}

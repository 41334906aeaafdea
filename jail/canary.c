/*
 * Making the attempts, and telling how they ended.
 */
#include <sys/mman.h>
#include <sys/wait.h>

#include <errno.h>
#include <seccomp.h>
#include <setjmp.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "canary.h"

#define ATTEMPTS_MAX	400

enum how { HOW_NOT, HOW_BEGUN, HOW_OPEN, HOW_REFUSED, HOW_CAUGHT, HOW_DIED };

struct canary {
	size_t		 first;
	struct {
		volatile uint8_t	how;	/* an enum how */
		volatile uint16_t	what;	/* errno, call, wait status */
	} rows[ATTEMPTS_MAX];
};

/* The jail's own, for a signal handler has no other way to it. */
static struct canary	*own;
static sigjmp_buf	 next;
static size_t		 trying;

struct canary *
canary_new(size_t first)
{
	struct canary	*c;

	c = mmap(NULL, sizeof(*c), PROT_READ | PROT_WRITE,
	    MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	if (c == MAP_FAILED)
		return (NULL);
	c->first = first;
	return (c);
}

void
canary_free(struct canary *c)
{
	if (c != NULL)
		(void)munmap(c, sizeof(*c));
}

int
canary_keep(struct canary *c)
{
	return (madvise(c, sizeof(*c), MADV_DONTFORK));
}

/* ---- in the jail ---- */

static void
on_caught(int sig, siginfo_t *si, void *context)
{
	(void)sig;
	(void)context;
	own->rows[trying].what = (uint16_t)si->si_syscall;
	own->rows[trying].how = HOW_CAUGHT;
	siglongjmp(next, 1);
}

int
canary_listen(struct canary *c)
{
	struct sigaction	sa = { .sa_flags = SA_SIGINFO };

	own = c;
	(void)sigfillset(&sa.sa_mask);
	sa.sa_sigaction = on_caught;
	/* A fault is a refusal, whatever our runtime would say to it: that of
	 * i386 calls, on a host without them. */
	if (signal(SIGSEGV, SIG_DFL) == SIG_ERR)
		return (-1);
	return (sigaction(SIGSYS, &sa, NULL));
}

static void
attempt_make(const struct attempt *a)
{
	own->rows[trying].how = HOW_BEGUN;
	errno = 0;
	if (a->fn()) {
		own->rows[trying].how = HOW_OPEN;
		return;
	}
	own->rows[trying].what = (uint16_t)errno;
	own->rows[trying].how = HOW_REFUSED;
}

/* The first attempt that nobody has come to; one that was begun was. */
static size_t
canary_next(const struct canary *c)
{
	size_t	n = c->first;

	while (n < ATTEMPTS_MAX && c->rows[n].how != HOW_NOT)
		n++;
	return (n);
}

int
canary_run(struct canary *c, enum jail_kind kind)
{
	own = c;
	for (trying = canary_next(c); trying < ATTEMPTS_MAX &&
	    attempt_at(kind, trying) != NULL; trying++)
		if (sigsetjmp(next, 1) == 0)
			attempt_make(attempt_at(kind, trying));
	return (0);
}

int
canary_died(struct canary *c, enum jail_kind kind, int status)
{
	size_t	n = canary_next(c);

	if (n == c->first)
		return (-1);
	if (c->rows[n - 1].how == HOW_BEGUN) {
		c->rows[n - 1].what = (uint16_t)status;
		c->rows[n - 1].how = HOW_DIED;
	} else if (n < ATTEMPTS_MAX && attempt_at(kind, n) != NULL)
		return (-1);
	return (n < ATTEMPTS_MAX && attempt_at(kind, n) != NULL);
}

/* ---- in the starter ---- */

static void
caught_text(int call, char *text, size_t len)
{
	char	*name;

	name = seccomp_syscall_resolve_num_arch(SCMP_ARCH_NATIVE, call);
	if (name != NULL)
		(void)snprintf(text, len, "caught: %s", name);
	else
		(void)snprintf(text, len, "caught: call %d", call);
	free(name);
}

/* Who made the attempt died of it. The filter's kill is what we want to see,
 * and a machine without such a door at all may fault; anything else is an
 * attempt that did something. */
static int
died_text(const struct attempt *a, enum jail_kind kind, int status,
    char *text, size_t len)
{
	const int	flags = a->met[kind].flags;
	int		sig = WIFSIGNALED(status) ? WTERMSIG(status) : 0;

	if (sig == SIGSYS || (sig == SIGSEGV && (flags & VARIES) != 0) ||
	    (sig == SIGKILL && (flags & LETHAL) != 0)) {
		(void)snprintf(text, len, "killed: SIG%s", sigabbrev_np(sig));
		return (0);
	}
	(void)snprintf(text, len, "it ended with status %#x", status);
	return (1);
}

int
canary_row(const struct canary *c, enum jail_kind kind, size_t n,
    int status, struct canary_row *row)
{
	const struct attempt	*a = attempt_at(kind, n);
	const char		*name;

	if (n < c->first || n >= ATTEMPTS_MAX || a == NULL)
		return (-1);
	row->open = 0;
	switch ((enum how)c->rows[n].how) {
	case HOW_NOT:
		return (-1);
	case HOW_DIED:
		status = c->rows[n].what;
		/* FALLTHROUGH */
	case HOW_BEGUN:
		row->open = died_text(a, kind, status, row->how,
		    sizeof(row->how));
		return (0);
	case HOW_OPEN:
		row->open = 1;
		(void)snprintf(row->how, sizeof(row->how), "it succeeded");
		return (0);
	case HOW_REFUSED:
		name = strerrorname_np(c->rows[n].what);
		(void)snprintf(row->how, sizeof(row->how), "refused: %s",
		    c->rows[n].what != 0 && name != NULL ? name : "no");
		return (0);
	case HOW_CAUGHT:
		caught_text(c->rows[n].what, row->how, sizeof(row->how));
		return (0);
	}
	row->open = 1;	/* the page is not what a jail of ours writes */
	(void)snprintf(row->how, sizeof(row->how), "a page out of shape");
	return (0);
}

void
canary_layers(const struct attempt *a, enum jail_kind kind, char *text,
    size_t len)
{
	const int	 flags = a->met[kind].flags;
	const char	*also = a->met[kind].also;

	if ((flags & ALONE) != 0)
		(void)snprintf(text, len, "filter (else: %s)", also);
	else
		(void)snprintf(text, len, "%s%s%s",
		    (flags & UNFILTERED) != 0 ? "" : "filter, ",
		    (flags & VARIES) != 0 ? "perhaps " : "", also);
}

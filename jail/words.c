/*
 * What a jail dies of, in its own words.
 */
#include <sys/mman.h>
#include <sys/syscall.h>

#include <seccomp.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "words.h"

enum why { WORDS_NONE, WORDS_CPU, WORDS_MEMORY, WORDS_SYSCALL, WORDS_ABORT };

struct words {
	volatile int	why;		/* an enum why, if the jail is honest */
	volatile int	call;
};

/* The jail's own, for a handler has no other way to it. Set once. */
static struct words	*own;

struct words *
words_new(void)
{
	void	*page;

	page = mmap(NULL, sizeof(struct words), PROT_READ | PROT_WRITE,
	    MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	return (page == MAP_FAILED ? NULL : page);
}

void
words_free(struct words *w)
{
	if (w != NULL)
		(void)munmap(w, sizeof(*w));
}

int
words_keep(struct words *w)
{
	return (madvise(w, sizeof(*w), MADV_DONTFORK));
}

/* An init ignores the signals that it sends itself; the filter's KILL works
 * on everyone, and there is one call that has it. */
static void __attribute__((noreturn))
words_die(void)
{
	for (;;)
		(void)syscall(SYS_ptrace, 0, 0, 0, 0);
}

static void
on_syscall(int sig, siginfo_t *si, void *context)
{
	(void)sig;
	(void)context;
	own->call = si->si_syscall;
	/* The filter's one TRAP for it is SIGABRT. An init would not get that,
	 * and abort(3) then goes on to a fault, as if it had been one. */
	own->why = own->call == SYS_tgkill ? WORDS_ABORT : WORDS_SYSCALL;
	words_die();
}

static void
on_cpu(int sig)
{
	(void)sig;
	own->why = WORDS_CPU;
	words_die();
}

void
words_memory(void)
{
	if (own == NULL)
		return;
	own->why = WORDS_MEMORY;
	words_die();
}

int
words_listen(struct words *w)
{
	struct sigaction	sa = { .sa_flags = SA_SIGINFO };

	own = w;
	(void)sigfillset(&sa.sa_mask);
	sa.sa_sigaction = on_syscall;
	if (sigaction(SIGSYS, &sa, NULL) == -1)
		return (-1);
	sa.sa_flags = 0;
	sa.sa_handler = on_cpu;
	return (sigaction(SIGXCPU, &sa, NULL));
}

const char *
words_said(const struct words *w)
{
	static char	 text[64];
	char		*name;
	int		 call = w->call;

	if (w->why == WORDS_CPU)
		return ("cpu");
	if (w->why == WORDS_MEMORY)
		return ("oom");
	if (w->why == WORDS_ABORT)
		return ("signal ABRT");
	if (w->why != WORDS_SYSCALL)
		return (NULL);
	name = seccomp_syscall_resolve_num_arch(SCMP_ARCH_NATIVE, call);
	if (name != NULL)
		(void)snprintf(text, sizeof(text), "syscall %s", name);
	else
		(void)snprintf(text, sizeof(text), "syscall %d", call);
	free(name);
	return (text);
}

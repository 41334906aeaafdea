#include <sys/signalfd.h>

#include <err.h>
#include <signal.h>
#include <unistd.h>

#include "failure.h"
#include "signals.h"

int
signals_open(void)
{
	sigset_t	set;
	int		fd;

	sigemptyset(&set);
	sigaddset(&set, SIGINT);
	sigaddset(&set, SIGTERM);
	sigaddset(&set, SIGWINCH);
	sigaddset(&set, SIGCONT);
	if (sigprocmask(SIG_BLOCK, &set, NULL) == -1 ||
	    (fd = signalfd(-1, &set, SFD_CLOEXEC | SFD_NONBLOCK)) == -1)
		err(EXIT_FAULT, "signalfd");
	return (fd);
}

enum sign
signals_next(int fd)
{
	struct signalfd_siginfo	si;

	if (read(fd, &si, sizeof(si)) != sizeof(si))
		return (SIGN_NONE);
	switch (si.ssi_signo) {
	case SIGINT:
		return (SIGN_INT);
	case SIGTERM:
		return (SIGN_TERM);
	case SIGWINCH:
		return (SIGN_RESIZE);
	case SIGCONT:
		return (SIGN_CONTINUE);
	default:
		return (SIGN_NONE);
	}
}

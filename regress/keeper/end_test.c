/*
 * The audit line of a run's end comes when the end is on the disk, and not
 * before: a keeper that can't write it dies, and the run goes on.
 */
#include <sys/socket.h>
#include <sys/wait.h>

#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "failing_vfs.h"
#include "fake.h"
#include "log.h"
#include "msg.h"

/* What has been logged: is this among it? */
static int
logged(int fd, const char *text)
{
	char	buf[4096];
	ssize_t	n;
	int	found = 0;

	while ((n = recv(fd, buf, sizeof(buf) - 1, MSG_DONTWAIT)) > 0) {
		buf[n] = '\0';
		found |= strstr(buf, text) != NULL;
	}
	return (found);
}

static void
cancel(struct fake *f, const char *run)
{
	fake_say(f, IMSG_RUN_CANCEL, 4, NULL,
	    "{\"run\": \"%s\", \"uid\": 1000, \"all\": false}", run);
}

int
main(void)
{
	struct fake	*f;
	char		 run[64];
	int		 log[2], status;
	pid_t		 pid;

	failing_from(0);
	f = fake_new(NULL);
	(void)snprintf(run, sizeof(run), "%s", fake_run(f, "1"));
	fake_turn(f, 10);
	if (socketpair(AF_UNIX, SOCK_DGRAM, 0, log) == -1)
		return (1);
	if ((pid = fork()) == 0) {
		if (event_reinit(f->base) == -1)
			_exit(98);
		log_set_socket(log[1]);
		failing_from(1);
		cancel(f, run);
		(void)fake_wait(f, IMSG_RUN_END);
		_exit(99);
	}
	test_case(waitpid(pid, &status, 0) == pid && WIFEXITED(status) &&
	    WEXITSTATUS(status) == 1, "an end that can't be written: it dies");
	test_case(!logged(log[0], "event=run.end"),
	    "and has not said that the run ended");
	log_set_socket(log[1]);
	cancel(f, run);
	test_case(fake_wait(f, IMSG_RUN_END) != NULL &&
	    logged(log[0], "event=run.end"), "one that can: it is said");
	fake_free(f);
	return (test_end());
}

/*
 * The real wfsupd: the next starter of script jails takes over, and the old
 * one ends with the last of its jails.
 */
#include <signal.h>
#include <string.h>
#include <unistd.h>

#include "fake_client.h"
#include "fake_host.h"
#include "fake_room.h"
#include "test.h"

#define TOOK_OVER	"the next script starter works"

/* How many of them there are: once it is n, or after a while. */
static int
starters(int n)
{
	int64_t	end = ms() + WAIT_MS;
	int	left;

	while ((left = atoi(line("pgrep -c -P %d -x wfsup-script",
	    daemon_pid))) != n && ms() < end)
		nap(20);
	return (left);
}

/* The starter that has made the jail of the last JAIL_STARTED. */
static pid_t
starter_pid(void)
{
	return (atoi(line("ps -o ppid= -p %d", (int)msg_int(got.env,
	    "pid"))));
}

static int
is_gone(pid_t pid)
{
	int64_t	end = ms() + WAIT_MS;

	while (kill(pid, 0) == 0 && ms() < end)
		nap(20);
	return (kill(pid, 0) == -1);
}

static void
test_turn(void)
{
	int64_t	old, young;
	pid_t	first;
	int	old_end = -1, end = -1, i;

	old = start_jail("script", 0, -1, "{}", &old_end);
	first = starter_pid();
	for (i = 0; i < 3; i++) {
		young = start_jail("script", 0, -1, "{}", &end);
		kill_jail(young, "done");
		(void)exited(young, "done", 0);
		(void)close(end);
	}
	test_case(log_wait(TOOK_OVER, 1) == 0, "after so many jails: %s",
	    TOOK_OVER);
	test_case(starters(2) == 2, "the old one stays as long as its jail");
	young = start_jail("script", 0, -1, "{}", &end);
	test_case(young > 0 && starter_pid() != first,
	    "a new jail is the new one's");
	kill_jail(old, "done");
	test_case(exited(old, "done", 0), "the old one's jail ends: done");
	(void)close(old_end);
	/* The new one may have made so many by now that there is a third. */
	test_case(is_gone(first), "and the old one with it");
	test_case(log_wait("script-starter\" how=\"exit 0\"", 1) == 0 &&
	    log_count("script-starter has died") == 0,
	    "in order, and not as a fault");
	kill_jail(young, "done");
	test_case(exited(young, "done", 0), "the new one's jail ends: done");
	(void)close(end);
}

/* The one that is in use dies: it is there again, whichever it is. */
static void
test_death(void)
{
	int64_t	jail;
	int	end = -1;

	jail = start_jail("script", 0, -1, "{}", &end);
	(void)kill(starter_pid(), SIGKILL);
	test_case(exited(jail, "restart", 1),
	    "the new one dies, and its jail: restart");
	(void)close(end);
	jail = start_jail("script", 0, -1, "{}", &end);
	test_case(jail > 0, "and is there again");
	kill_jail(jail, "done");
	test_case(exited(jail, "done", 0), "with jails that end: done");
	(void)close(end);
	/* The next one may have been on its way already, and has its turn. */
	test_case(starters(1) == 1, "and it is alone");
}

int
main(int argc, char **argv)
{
	fake_room(argc, argv);
	if (host_setup() == -1)
		return (test_end());
	config_write("limit recycle 4\nlimit spares 1\n");
	if (test_case(daemon_start() == 0, "wfsupd starts")) {
		test_turn();
		test_death();
		broker_close();
		test_case(daemon_stop() == 0 && processes_wait() == 0,
		    "it stops in order, and nobody is left: %s",
		    processes_left());
	}
	host_end(test_failures != 0);
	return (test_end());
}

/*
 * The real wfsupd and the real script starter: spare jails.
 */
#include <sys/socket.h>

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "fake_client.h"
#include "fake_host.h"
#include "fake_room.h"
#include "test.h"

/* Reload with so many spare jails. */
static int
set_spares(int n)
{
	static const char	done[] = "event=daemon.reload outcome=ok";
	char			more[32];
	int			before = log_count(done);

	(void)snprintf(more, sizeof(more), "limit spares %d\n", n);
	config_write(more);
	(void)kill(daemon_pid, SIGHUP);
	return (log_wait(done, before + 1));
}

/* Wait until the script starter has n jails. */
static int
jails_wait(int n)
{
	int64_t	end = ms() + WAIT_MS;

	while (atoi(line("pgrep -c -P %d", child_pid("wfsup-script"))) != n)
		if (ms() > end)
			return (-1);
		else
			nap(20);
	return (0);
}

static void
test_spares(void)
{
	int64_t	first, next;
	int	end[3] = { -1, -1, -1 }, i;
	char	buf[512];

	test_case(set_spares(2) == 0 && jails_wait(0) == 0,
	    "no spare jail before one has been asked for");
	first = start_jail("script", 0, -1, "{}", &end[0]);
	test_case(jails_wait(3) == 0, "after the first there are two spares");
	next = start_jail("script", 0, -1, "{\"wall\": 2}", &end[1]);
	test_case(next == first + 1, "the next one was a spare");
	test_case(recv(end[1], buf, sizeof(buf), MSG_DONTWAIT) > 16 &&
	    memcmp(buf, &(uint32_t){ IMSG_JAIL_HELLO }, 4) == 0,
	    "and had said hello");
	test_case(exited(next, "wall", 0), "its time counts from then: wall");
	test_case(jails_wait(3) == 0, "another takes its place");
	next = start_jail("script", 0, -1, "{\"memory\": 134217728}", &end[2]);
	test_case(next > first + 3, "one with other limits is made for itself");
	test_case(jails_wait(4) == 0, "and a spare of these limits");
	(void)kill_seen("wfsup-script", "script-starter");
	test_case(expect(IMSG_JAIL_EXIT) == 0 && expect(IMSG_JAIL_EXIT) == 0,
	    "of spares that die nobody hears");
	test_case(log_count("run=\"\"") == 0, "nor the log");
	(void)close(end[0]);
	(void)close(end[1]);
	(void)close(end[2]);
	/* The first one has waited for the starter, the next finds it ready. */
	for (i = 0; i < 2; i++)
		first = start_jail("script", 0, -1, "{}", &end[i]);
	test_case(first > 0 && jails_wait(4) == 0,
	    "with the next jails there are spares again");
	test_case(set_spares(0) == 0, "no more of them");
	(void)close(end[0]);
	(void)close(end[1]);
	test_case(expect(IMSG_JAIL_EXIT) == 0 && expect(IMSG_JAIL_EXIT) == 0,
	    "both jails end");
	first = start_jail("script", 0, -1, "{}", &end[0]);
	kill_jail(first, "done");
	test_case(exited(first, "done", 0),
	    "jails are made when asked for: done");
	test_case(jails_wait(0) == 0, "and no other is there");
	(void)close(end[0]);
}

int
main(int argc, char **argv)
{
	fake_room(argc, argv);
	if (host_setup() == -1)
		return (0);
	if (test_case(daemon_start() == 0, "wfsupd starts"))
		test_spares();
	host_end(test_failures != 0);
	return (test_end());
}

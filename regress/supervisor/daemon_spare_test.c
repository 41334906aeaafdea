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

/* Wait until the script starter has a jail that is younger than this one. */
static int
newer_wait(int pid)
{
	int64_t	end = ms() + WAIT_MS;

	while (atoi(line("pgrep -n -P %d", child_pid("wfsup-script"))) == pid)
		if (ms() > end)
			return (-1);
		else
			nap(20);
	return (0);
}

/* The limits of the profile that root has without a configuration. */
#define ADMIN_LIMITS	"{\"memory\": 536870912, \"pids\": 128, "	\
			"\"cpu\": 60, \"fsize\": 268435456, \"files\": 256}"

/* From the configuration alone, before any jail was asked for. */
static void
test_first(void)
{
	int64_t	jail;
	int	end = -1, ok;
	char	pids[64], pid[16];

	test_case(set_spares(2) == 0 && jails_wait(2) == 0,
	    "as many as the configuration says, before one is asked for");
	while ((ok = row_ok("spares")) == 1 && strstr(msg_str(got.env, "text"),
	    "2 script jails") == NULL)
		continue;	/* the one of the start */
	test_case(ok == 1, "the host's report says so");
	(void)snprintf(pids, sizeof(pids), "%s", line("pgrep -P %d | "
	    "tr '\n' ' '", child_pid("wfsup-script")));
	jail = start_jail("script", 0, -1, ADMIN_LIMITS, &end);
	(void)snprintf(pid, sizeof(pid), "%d ", (int)msg_int(got.env, "pid"));
	test_case(jail > 0 && strstr(pids, pid) != NULL, "the first one was "
	    "a spare: its limits are the profile's that is granted first");
	test_case(jails_wait(3) == 0, "another takes its place");
	kill_jail(jail, "done");
	test_case(exited(jail, "done", 0), "it is used once: done");
	(void)close(end);
}

static void
test_spares(void)
{
	int64_t	first, next;
	int	end[3] = { -1, -1, -1 };
	char	buf[512];

	first = start_jail("script", 0, -1, "{}", &end[0]);
	test_case(newer_wait((int)msg_int(got.env, "pid")) == 0 &&
	    jails_wait(3) == 0, "after one with other limits a spare is "
	    "replaced by one of these");
	next = start_jail("script", 0, -1, "{\"wall\": 2}", &end[1]);
	test_case(next == first + 1, "the next one was a spare");
	test_case(recv(end[1], buf, sizeof(buf), MSG_DONTWAIT) > 16 &&
	    memcmp(buf, &(uint32_t){ IMSG_JAIL_HELLO }, 4) == 0,
	    "and had said hello");
	test_case(exited(next, "wall", 0), "its time counts from then: wall");
	test_case(jails_wait(3) == 0, "another takes its place");
	next = start_jail("script", 0, -1, "{\"memory\": 134217728}", &end[2]);
	test_case(next > first + 2, "one with other limits is made for itself");
	test_case(jails_wait(4) == 0, "and a spare of these limits");
	(void)kill_seen("wfsup-script", "script-starter");
	test_case(expect(IMSG_JAIL_EXIT) == 0 && expect(IMSG_JAIL_EXIT) == 0,
	    "of spares that die nobody hears");
	test_case(log_count("run=\"\"") == 0, "nor the log");
	(void)close(end[0]);
	(void)close(end[1]);
	(void)close(end[2]);
	test_case(child_wait("wfsup-script") == 0 && jails_wait(2) == 0,
	    "the next starter makes spares again");
	test_case(set_spares(0) == 0 && jails_wait(0) == 0,
	    "a reload ends them");
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
	if (test_case(daemon_start() == 0, "wfsupd starts")) {
		test_first();
		test_spares();
	}
	host_end(test_failures != 0);
	return (test_end());
}

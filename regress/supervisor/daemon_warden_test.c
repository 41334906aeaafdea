/*
 * A warden that was taken over: what it may not say ends it, and with it the
 * daemon, for nobody can take its place. Nothing else is done for it.
 */
#include <stdio.h>

#include "fake_client.h"
#include "fake_host.h"
#include "fake_room.h"
#include "test.h"

static void
test_lie(const char *what, enum lie lie)
{
	char	conf[64];
	int	status;

	/* The last line of the configuration is the one that counts. */
	(void)snprintf(conf, sizeof(conf), "limit spares %d\n", (int)lie);
	config_write(conf);
	daemon_pid = daemon_fork("-dv");
	status = daemon_wait();
	test_case(status == 1 << 8, "a warden that says %s: the daemon ends, "
	    "exit 1 (%d)", what, status);
	/* Whoever is connected with it may be seen to go first. */
	test_case(log_count("going down: ") == 1 &&
	    log_count("event=proto.violation.*peer=\"warden\"") == 1,
	    "and says why");
	test_case(log_count("launcher has died") == 0 &&
	    log_count("keeper has died") == 0, "nobody else was killed");
	test_case(processes_wait() == 0, "nobody is left: %s",
	    processes_left());
}

int
main(int argc, char **argv)
{
	fake_room(argc, argv);
	if (host_setup() == -1)
		return (test_end());
	if (run("cp -f %s %s", in_dir("wfsup-broker"),
	    in_dir("wfsup-warden")) != 0)
		return (1);
	test_lie("ready twice", LIE_READY_TWICE);
	test_lie("hello twice", LIE_HELLO_TWICE);
	test_lie("that a room is not wanted", LIE_WANT_ROOM);
	test_lie("that the broker is not wanted", LIE_WANT_BROKER);
	test_lie("that the launcher is to be killed", LIE_KILL_LAUNCHER);
	test_lie("that the keeper is to be killed", LIE_KILL_KEEPER);
	test_lie("that somebody else is to be killed", LIE_KILL_NOBODY);
	host_end(test_failures != 0);
	return (test_end());
}

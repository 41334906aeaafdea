/*
 * The real wfsupd: what it starts again when it dies, and what dies with it.
 */
#include <signal.h>
#include <unistd.h>

#include "fake_client.h"
#include "fake_host.h"
#include "fake_room.h"
#include "test.h"

static void
test_restarts(void)
{
	int64_t	jail;
	int	end = -1, seen;

	jail = start_jail("script", 0, -1, "{}", &end);
	test_case(kill_seen("wfsup-gateway", "gateway") == 0 &&
	    child_pid("wfsup-script") > 0, "the gateway dies alone");
	seen = kill_seen("wfsup-keeper", "keeper");
	test_case(exited(jail, "restart", 1),
	    "the keeper dies, and with it each jail: restart");
	(void)close(end);
	/* As long as there is a jail the keeper would not come back. */
	test_case(seen == 0 && child_wait("wfsup-keeper") == 0,
	    "the keeper is there again");
	jail = start_jail("script", 0, -1, "{}", &end);
	(void)kill_seen("wfsup-script", "script-starter");
	test_case(exited(jail, "restart", 1),
	    "a starter dies, and with it its jails: restart");
	(void)close(end);
	jail = start_jail("script", 0, -1, "{}", &end);
	test_case(jail > 0, "the starter is there again");
	(void)kill_seen("wfsup-broker", "broker");
	(void)close(end);
	broker_close();
	test_case(broker_connect() == 0, "the broker is there again");
	jail = start_jail("script", 0, -1, "{}", &end);
	test_case(jail > 0, "and starts jails");
	kill_jail(jail, "done");
	test_case(exited(jail, "done", 0), "which end: done");
	(void)close(end);
	test_case(child_wait("wfsup-gateway") == 0 &&
	    child_wait("wfsup-keeper") == 0, "all rooms are there again");
}

/* It has no part in what goes on, and is there again for the next reload. A
 * gateway that comes up meanwhile waits for its keys. */
static void
test_reader(void)
{
	test_case(kill_seen("wfsup-reader", "reader") == 0 &&
	    kill_seen("wfsup-gateway", "gateway") == 0 &&
	    child_wait("wfsup-reader") == 0 &&
	    child_wait("wfsup-gateway") == 0,
	    "the reader dies: it is there again, and the gateway");
	(void)kill(daemon_pid, SIGHUP);
	test_case(log_wait("event=daemon.reload outcome=ok", 1) == 0,
	    "and reads the configuration");
	(void)kill(daemon_pid, SIGHUP);
	kill_child("wfsup-reader");
	test_case(log_wait("event=daemon.reload", 2) == 0,
	    "one that dies in a reload: it is said how that went");
}

/* Those whose rights can't be had again: the daemon ends, and all with it. */
static void
test_precious(const char *binary, const char *name)
{
	pid_t	pid = daemon_pid;
	int	end = -1;

	(void)start_jail("script", 0, -1, "{}", &end);
	/* Whose death is seen first, its own or the warden's, is open. */
	kill_child(binary);
	(void)close(end);
	test_case(daemon_wait() == 1 << 8, "%s dies: the daemon ends, exit 1",
	    name);
	test_case(processes_wait() == 0, "and nobody outlives it: %s",
	    processes_left());
	broker_close();
	test_case(daemon_start() == 0, "it can be started again");
	test_case(cgroups_left(pid)[0] == '\0', "and no cgroup is left of "
	    "before: %s", cgroups_left(pid));
}

int
main(int argc, char **argv)
{
	fake_room(argc, argv);
	if (host_setup() == -1)
		return (0);
	if (test_case(daemon_start() == 0, "wfsupd starts")) {
		test_restarts();
		test_reader();
		test_precious("wfsup-launcher", "launcher");
		test_precious("wfsup-mounter", "mounter");
		test_precious("wfsup-warden", "warden");
	}
	host_end(test_failures != 0);
	return (test_end());
}

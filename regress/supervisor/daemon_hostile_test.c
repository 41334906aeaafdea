/*
 * A broker and a starter that were taken over: what they say costs them, never
 * the daemon.
 */
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "fake_client.h"
#include "fake_host.h"
#include "fake_room.h"
#include "test.h"

/* What the broker may not say. Each time it is dropped, and comes back. */
static void
test_hostile_broker(void)
{
	static const struct {
		const char	*what;
		uint32_t	 type;
		const char	*env;
		int		 fd;	/* send one along */
	} rows[] = {
		{ "a jail of no kind", IMSG_JAIL_START, "{\"kind\": \"what\"}",
		    0 },
		{ "a script jail with a sandbox", IMSG_JAIL_START,
		    "{\"sandbox\": 3}", 0 },
		{ "a script jail with a workspace", IMSG_JAIL_START, "{}", 1 },
		{ "a tool jail without a sandbox", IMSG_JAIL_START,
		    "{\"kind\": \"tool\"}", 0 },
		{ "a workspace by a relative path", IMSG_WORKSPACE_OPEN,
		    "{\"run\": \"r\", \"path\": \"etc\", \"uid\": 0, "
		    "\"gid\": 0, \"dev\": 1, \"ino\": 2}", 0 },
		{ "hello twice", IMSG_ROOM_HELLO,
		    "{\"version\": \"0.1.0\"}", 0 },
		{ "ready twice", IMSG_ROOM_READY, "{}", 0 },
	};
	size_t	i;
	int	fd, n;

	for (i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		n = log_count("broker has died");
		fd = rows[i].fd ? open("/", O_RDONLY | O_DIRECTORY |
		    O_CLOEXEC) : -1;
		if (rows[i].type == IMSG_JAIL_START)
			ask_jail(1, "script", 0, fd, rows[i].env);
		else
			say(rows[i].type, 1, fd,
			    json_loads(rows[i].env, 0, NULL));
		test_case(log_wait("broker has died", n + 1) == 0,
		    "a broker that says %s is dropped", rows[i].what);
		/* A restart waits longer each time: a new life is as good. */
		if (daemon_restart() == -1)
			return;
	}
}

static void
test_lying_starter(void)
{
	static const struct {
		const char	*what;
		enum lie	 lie;
		const char	*step;
	} rows[] = {
		{ "a jail that is not confined", LIE_UNCONFINED, "verify" },
		{ "a jail without a process", LIE_NO_PROCESS, "verify" },
		{ "a descriptor that is no pidfd", LIE_NO_PIDFD, "verify" },
		{ "the starter as a jail", LIE_ITSELF, "verify" },
		/* No lie: its end is what there is to tell. */
		{ "a jail that has died, as of one that lives", LIE_GONE,
		    "start" },
		{ "a jail that was not asked for", LIE_OTHER, "start" },
		{ "the death of one that lives", LIE_REAPED, "start" },
	};
	char	files[32];
	size_t	i;

	if (run("cp -f %s %s && chmod 755 %s", in_dir("wfsup-broker"),
	    in_dir("wfsup-script"), in_dir("wfsup-script")) != 0)
		return;
	(void)kill_seen("wfsup-script", "script-starter");
	for (i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		(void)snprintf(files, sizeof(files), "{\"files\": %d}",
		    rows[i].lie);
		ask_jail(4, "script", 0, -1, files);
		test_case(expect(IMSG_JAIL_FAILED) == 0 && strcmp(msg_str(
		    got.env, "step"), rows[i].step) == 0,
		    "a starter that tells of %s is not believed",
		    rows[i].what);
		/* Until it is clear that no process will be shown. */
		if (rows[i].lie == LIE_NO_PROCESS)
			test_case(log_wait("has not shown its process", 1) ==
			    0 && log_wait("script-starter has died", 2) == 0,
			    "and is ended");
	}
}

/* Wait for two texts, in whatever order they come. */

int
main(int argc, char **argv)
{
	fake_room(argc, argv);
	if (host_setup() == -1)
		return (0);
	if (test_case(daemon_start() == 0, "wfsupd starts")) {
		test_hostile_broker();
		test_lying_starter();
	}
	host_end(test_failures != 0);
	return (test_end());
}

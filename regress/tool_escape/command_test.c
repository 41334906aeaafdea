/*
 * The attempts that a script jail must refuse, in a tool jail: it refuses
 * them too, but for what any program needs. This program is also the
 * attacker, as a command in the jail.
 */
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "attempt.h"
#include "driver.h"
#include "test.h"
#include "ways.h"

#define UID	11

static char	dir[] = "/tmp/wfsup-escape-test.XXXXXX";

/* A layer in which this program lies as /workspace/attack. */
static int
layer_make(void)
{
	char	command[256];

	if (mkdtemp(dir) == NULL)
		return (-1);
	(void)snprintf(command, sizeof(command), "cd %s && mkdir -p "
	    "layer/upper layer/work && cp /proc/%d/exe layer/upper/attack && "
	    "chown -R 0:0 layer && chmod 755 layer/upper/attack", dir,
	    (int)getpid());
	if (system(command) != 0)
		return (-1);
	return (0);
}

/*
 * Did it fail, or was it killed for trying? A kernel that does not have what
 * an attempt depends on refuses with a fault of the processor: the i386 door
 * is a SIGSEGV where that emulation is off.
 */
static int
was_refused(const struct attempt *a, int status)
{
	return (status == 0 || status == 128 + SIGSYS ||
	    ((a->met[IN_TOOL].flags & VARIES) != 0 &&
	    status == 128 + SIGSEGV));
}

/* The exit status of row n in the tool jail, -1 if there was none. */
static int
tool_row(struct side *jail, uint32_t n)
{
	struct got	got;
	json_t		*value;
	char		 input[96];
	int		 status = -1;

	/* A leak checker is a tracer, and a jail has none of these. */
	(void)snprintf(input, sizeof(input), "{\"command\":"
	    "\"ASAN_OPTIONS=detect_leaks=0 ./attack row %u\"}", n);
	side_send(jail, IMSG_SANDBOX_CALL, n, -1, json_pack("{s:s,s:i,s:i}",
	    "op", "bash", "timeout", 5000, "output", 65536), input);
	if (side_want(jail, &got, IMSG_SANDBOX_DONE, 9000) == -1)
		return (-1);
	value = json_loads(got.body, 0, NULL);
	if (json_is_integer(json_object_get(value, "exit")))
		status = (int)json_integer_value(json_object_get(value,
		    "exit"));
	json_decref(value);
	got_free(&got);
	return (status);
}

static void
test_tool_rows(struct side *s)
{
	struct limits		 l = driver_limits;
	const struct attempt	*a;
	struct side		 jail;
	struct got		 got;
	char			 path[64];
	uint32_t		 n;
	int			 given, status;

	(void)snprintf(path, sizeof(path), "%s/layer", dir);
	driver_part(s, 1, "layer", driver_mount(path, 0, UID, 0));
	l.memory = WAYS_MEMORY;
	driver_spawn(s, 1, UID, &l, &jail);
	if (driver_confined(s, &jail) == -1 ||
	    side_want(&jail, &got, IMSG_JAIL_HELLO, 5000) == -1) {
		test_case(0, "a tool jail to attack");
		return;
	}
	got_free(&got);
	/* Also those that are given: numbered as in a script jail. */
	for (n = 0; (a = attempt_at(IN_SCRIPT, n)) != NULL; n++) {
		status = tool_row(&jail, n);
		given = (a->met[IN_TOOL].flags & GIVEN) != 0;
		test_case(was_refused(a, status) ||
		    (given && status == ATTEMPT_OPEN),
		    "tool jail: %s (%s, status %d)", a->name,
		    status == ATTEMPT_OPEN ? given ? "given" : "OPEN" :
		    was_refused(a, status) ? "refused" : "unclear", status);
	}
	side_close(&jail);
}

static void
test_tool(void)
{
	struct side	s;
	char		command[64];

	if (!test_case(layer_make() == 0, "a layer with the attacker in it"))
		return;
	if (test_case(driver_start(&s, driver_binary("wfsup-tool"), NULL,
	    NULL, WAYS_CONFIG) == 0,
	    "the starter of tool jails is ready"))
		test_tool_rows(&s);
	driver_stop(&s);
	(void)snprintf(command, sizeof(command), "rm -rf %s", dir);
	(void)!system(command);
}

/* ---- all ---- */

int
main(int argc, char **argv)
{
	/* A fault is a refusal, not for a sanitizer to explain. */
	if (argc == 3 && strcmp(argv[1], "row") == 0 &&
	    signal(SIGSEGV, SIG_DFL) != SIG_ERR)
		return (attempt_at(IN_SCRIPT, (size_t)atoi(argv[2]))->fn() ?
		    ATTEMPT_OPEN : 0);
	if (geteuid() != 0) {
		test_skip("escapes from a tool jail: needs root");
		return (test_end());
	}
	ways_listen();
	test_tool();
	return (test_end());
}

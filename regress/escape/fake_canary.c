/*
 * The canary that the daemon orders at its start: in the real jail nothing
 * is open; in one that a layer is left out of, it says what is.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "attempt.h"
#include "driver.h"
#include "test.h"
#include "ways.h"

#define UID	1000

static enum jail_kind	kind;

struct tally {
	json_int_t	next;	/* the row that is to come */
	json_int_t	rows;	/* how many there are to be */
	int		open, killed, jails;
	int		wrong;	/* out of order, or misnamed */
};

static void
row_count(struct tally *t, const json_t *env)
{
	const struct attempt	*a;
	json_int_t		 row;

	row = json_integer_value(json_object_get(env, "row"));
	t->rows = json_integer_value(json_object_get(env, "rows"));
	a = attempt_at(kind, (size_t)row);
	if (row != t->next || a == NULL || strcmp(a->name, json_string_value(
	    json_object_get(env, "name"))) != 0)
		t->wrong++;
	if (json_is_true(json_object_get(env, "open"))) {
		printf("open: %s\n", a != NULL ? a->name : "?");
		t->open++;
	}
	t->killed += strncmp(json_string_value(json_object_get(env, "how")),
	    "killed", 6) == 0;
	t->next = row + 1;
}

/* One canary, from row t->next on. Returns 0 when it has been reaped. */
static int
canary_once(struct side *s, struct tally *t)
{
	struct limits	l = driver_limits;
	struct side	jail;
	struct got	got;
	uint32_t	type = 0;
	int		number = ++t->jails;

	l.memory = WAYS_MEMORY;
	side_send(s, IMSG_CANARY, 0, -1, json_pack("{s:i,s:I}", "jail",
	    number, "first", t->next), NULL);
	driver_spawn(s, number, (uid_t)(UID + number), &l, &jail);
	/* It may be dead before we have looked for its pid. */
	while (type != IMSG_JAIL_REAPED) {
		if (side_recv(s, &got, 5000) == -1 ||
		    got.type == IMSG_JAIL_UNMADE)
			return (-1);
		if ((type = got.type) == IMSG_CANARY_ROW)
			row_count(t, got.env);
		got_free(&got);
	}
	side_close(&jail);
	return (0);
}

/* As the supervisor does: another one after each that was killed. */
static int
canary(struct side *s, struct tally *t)
{
	json_int_t	before;

	memset(t, 0, sizeof(*t));
	do {
		before = t->next;
		if (canary_once(s, t) == -1 || t->next == before)
			return (-1);
	} while (t->next < t->rows);
	return (0);
}

static void
test_real(const char *binary, int ends)
{
	struct side	s;
	struct tally	t;
	size_t		count = 0;

	while (attempt_at(kind, count) != NULL)
		count++;
	if (!test_case(driver_start(&s, driver_binary(binary), NULL, NULL,
	    WAYS_CONFIG) == 0, "%s is ready", binary))
		return;
	test_case(canary(&s, &t) == 0, "a canary makes all attempts");
	test_case((size_t)t.rows == count && (size_t)t.next == count,
	    "it tells of all %zu", count);
	test_case(t.wrong == 0, "in order and by name");
	test_case(t.open == 0, "none is open");
	if (ends)
		test_case(t.jails <= t.killed + 1, "one jail, and one more "
		    "for each that was killed (%d)", t.killed);
	else
		test_case(t.jails == 1 && t.killed > 0, "one jail, though %d "
		    "were killed in it", t.killed);
	driver_stop(&s);
}

/* The tests' own starter, which can leave a layer out. */
static void
test_cries(const char *dir, const char *way, int least)
{
	struct side	 s;
	struct tally	 t;
	char		 path[512];
	const char	*b = getenv("B");

	(void)snprintf(path, sizeof(path), "%s/regress/%s/ways_test",
	    b != NULL ? b : "build", dir);
	if (!test_case(driver_start(&s, path, "-w", way, WAYS_CONFIG) == 0,
	    "a starter with %s", way))
		return;
	(void)canary(&s, &t);
	test_case(t.open >= least, "a canary with %s cries (%d open)", way,
	    t.open);
	driver_stop(&s);
}

int
canary_main(const struct starter_ops *ops, const char *binary,
    const char *attacker, int killed)
{
	kind = ops->kind;
	if (geteuid() != 0) {
		test_skip("canary: needs root");
		return (test_end());
	}
	test_real(binary, killed);
	test_cries(attacker, "all but the filter", 15);
	if (kind == IN_SCRIPT)
		test_cries(attacker, "the filter alone", 1);
	return (test_end());
}

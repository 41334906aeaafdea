/*
 * Ended runs: which are kept, and what becomes of the room of the others.
 */
#include <sys/stat.h>

#include <err.h>
#include <stdlib.h>
#include <string.h>

#include "fake.h"
#include "test.h"

static void
say_done(struct fake *f, const char *run, const char *body, int failures)
{
	fake_say(f, IMSG_RUN_DONE, 0, body,
	    "{\"run\": \"%s\", \"failures\": %d}", run, failures);
}

static void
test_retain(void)
{
	struct fake	*f = fake_new("{\"retain\": 2}");
	struct got	*g;
	int		 i;

	for (i = 0; i < 5; i++) {
		say_done(f, fake_run(f, "1"),
		    "{\"result\": null, \"failures\": []}", 0);
		(void)fake_wait(f, IMSG_RUN_END);
	}
	fake_say(f, IMSG_RUN_QUERY, 5, NULL,
	    "{\"what\": \"list\", \"uid\": 1000, \"all\": false}");
	g = fake_wait(f, IMSG_ANSWER);
	test_case(g != NULL && json_array_size(body_get(g, "runs")) == 2,
	    "of the ended runs, as many are kept as the config says");
	fake_free(f);
}

/* A user's run that ends with a result of so many bytes. */
static void
end_long(struct fake *f, int uid, size_t bytes)
{
	static const char	 head[] = "{\"failures\": [], \"result\": \"";
	struct got		*g;
	char			*body, run[64];
	size_t			 n = sizeof(head) - 1;

	fake_say(f, IMSG_RUN_ADD, 7, "{\"source\": \"1\", \"args\": null}",
	    "{\"uid\": %d, \"gid\": 1000, \"profile\": \"users\", "
	    "\"tokens\": 0}", uid);
	if ((g = fake_wait(f, IMSG_RUN_ADDED)) == NULL ||
	    (body = calloc(1, bytes + 64)) == NULL)
		err(1, "end_long");
	(void)snprintf(run, sizeof(run), "%s", got_str(g, "run"));
	memcpy(body, head, n);
	memset(body + n, 'x', bytes);
	memcpy(body + n + bytes, "\"}", 3);
	say_done(f, run, body, 0);
	free(body);
	(void)fake_wait(f, IMSG_RUN_END);
}

static size_t
runs_listed(struct fake *f, int uid)
{
	struct got	*g;

	fake_say(f, IMSG_RUN_QUERY, 5, NULL,
	    "{\"what\": \"list\", \"uid\": %d, \"all\": false}", uid);
	g = fake_wait(f, IMSG_ANSWER);
	return (g == NULL ? 0 : json_array_size(body_get(g, "runs")));
}

static void
test_retain_bytes(void)
{
	struct fake	*f = fake_new("{\"journal\": 100000}");
	int		 i;

	for (i = 0; i < 6; i++)
		end_long(f, 1001, 1000);
	for (i = 0; i < 4; i++)
		end_long(f, 1002, 30000);
	test_case(runs_listed(f, 1002) == 2 && runs_listed(f, 1001) == 6,
	    "of the ended runs, as many bytes are kept as the config says, "
	    "and the user with most loses its oldest");
	fake_restart(f, "{\"journal\": 50000}");
	test_case(runs_listed(f, 1002) == 1 && runs_listed(f, 1001) == 6,
	    "after a restart they are counted, too");
	end_long(f, 1001, 60000);
	test_case(runs_listed(f, 1001) == 1 && runs_listed(f, 1002) == 1,
	    "the last run is kept, however long it is, and takes nobody "
	    "else's with it");
	fake_free(f);
}

/* One go takes 4,096 nodes: the keeper must not be away for long. */
static void
test_retain_nodes(void)
{
	struct fake	*f = fake_new(NULL);
	struct store	*st = f->keeper.store;
	int		 i;

	end_long(f, 1001, 1000);
	end_long(f, 1001, 1000);
	end_long(f, 1002, 1000);
	(void)store_run(st, "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL"
	    " SELECT i + 1 FROM n WHERE i < 10000) INSERT INTO nodes (run,"
	    " path, kind, digest, input, state, started) SELECT (SELECT"
	    " min(num) FROM runs), i, 'sleep', '', '{}', 2, 0 FROM n", "");
	store_commit(st);
	fake_restart(f, "{\"retain\": 2}");
	st = f->keeper.store;
	test_case(store_int(st, 0, "SELECT count(*) FROM nodes", "") == 5904 &&
	    runs_listed(f, 1001) == 2, "of a long run some nodes go first");
	for (i = 0; i < 40 && runs_listed(f, 1001) > 1; i++)
		fake_turn(f, 20);
	test_case(store_int(st, 1, "SELECT count(*) FROM nodes", "") == 0 &&
	    runs_listed(f, 1001) == 1 && runs_listed(f, 1002) == 1,
	    "then the rest of it");
	fake_free(f);
}

static int64_t
file_size(const char *path)
{
	struct stat	st;

	if (stat(path, &st) == -1)
		err(1, "%s", path);
	return ((int64_t)st.st_size);
}

static void
test_give_back(void)
{
	struct fake	*f = fake_new("{\"journal\": 100000}");
	int64_t		 before, most;
	int		 i;

	end_long(f, 1001, 1000);
	for (i = 0; i < 12; i++)
		end_long(f, 1002, 3000000);
	before = file_size(f->path);
	for (i = 0; i < 12; i++)
		end_long(f, 1002, 3000000);
	most = file_size(f->path);
	test_case(before < 16 << 20 && most < 16 << 20,
	    "what ended runs had is used again: 72 MB of runs in a file of "
	    "%lld bytes", (long long)most);
	fake_free(f);
	f = fake_new("{\"journal\": 100000000}");
	for (i = 0; i < 12; i++)
		end_long(f, 1002, 3000000);
	most = file_size(f->path);
	fake_restart(f, "{\"journal\": 100000}");
	for (i = 0; i < 100 && file_size(f->path) > 12 << 20; i++)
		fake_turn(f, 50);
	test_case(most > 30 << 20 && file_size(f->path) <= 12 << 20,
	    "or given back to the disk: of %lld bytes %lld are left",
	    (long long)most, (long long)file_size(f->path));
	test_case(runs_listed(f, 1002) == 0, "with the runs");
	fake_free(f);
}

int
main(void)
{
	test_retain();
	test_retain_bytes();
	test_retain_nodes();
	test_give_back();
	return (test_end());
}

/*
 * The store: what it refuses to open, what survives a kill and a full disk.
 */
#include <sys/types.h>
#include <sys/wait.h>

#include <err.h>
#include <event2/event.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "failing_vfs.h"
#include "store.h"
#include "test.h"

static char	dir[32], path[64];

static void
wipe(void)
{
	static const char *const	ends[] = { "", "-wal", "-shm",
	    "-journal" };
	char				name[96];
	size_t				i;

	for (i = 0; i < 4; i++) {
		(void)snprintf(name, sizeof(name), "%s%s", path, ends[i]);
		(void)unlink(name);	/* not all of them are there */
	}
}

static struct store *
open_or_die(void)
{
	struct store	*st;
	char		 why[512];

	if ((st = store_open(path, why, sizeof(why))) == NULL)
		errx(1, "%s", why);
	return (st);
}

/* Run sql on the file, without the store. Returns 0 if that went well. */
static int
patch(const char *sql)
{
	sqlite3	*db;
	int	 rc;

	rc = sqlite3_open(path, &db);
	if (rc == SQLITE_OK)
		rc = sqlite3_exec(db, sql, NULL, NULL, NULL);
	(void)sqlite3_close(db);
	return (rc == SQLITE_OK ? 0 : -1);
}

static void
patch_or_die(const char *sql)
{
	if (patch(sql) == -1)
		errx(1, "%s", sql);
}

static void
add_run(struct store *st, int64_t n)
{
	char	id[32];

	(void)snprintf(id, sizeof(id), "%016lld", (long long)n);
	(void)store_run(st, "INSERT INTO runs (id, uid, gid, profile, budget,"
	    " script, seed, phase, added) VALUES (?, 1, 1, 'p', 0, ?, 's', 0,"
	    " 0)", "ss", id, "{}");
}

static int64_t
count_runs(struct store *st)
{
	return (store_int(st, -1, "SELECT count(*) FROM runs", ""));
}

/* ---- opening ---- */

static void
test_stamp(void)
{
	struct store	*st = open_or_die();

	test_case(store_int(st, 0, "PRAGMA application_id", "") ==
	    STORE_APPLICATION && store_int(st, 0, "PRAGMA user_version", "")
	    == STORE_VERSION, "a fresh store is stamped");
	test_case(store_int(st, 0, "PRAGMA synchronous", "") == 2,
	    "it is synchronous");
	add_run(st, 1);
	store_commit(st);
	add_run(st, 2);
	store_close(st);
	st = open_or_die();
	test_case(count_runs(st) == 1,
	    "what was committed is there, the rest is not");
	store_close(st);
}

static void
test_upgrade(void)
{
	struct store	*st = open_or_die();

	add_run(st, 1);
	add_run(st, 2);
	(void)store_run(st, "UPDATE runs SET phase = 2, result = 'abc'"
	    " WHERE num = 2", "");
	store_commit(st);
	store_close(st);
	patch_or_die("DROP TABLE ended; PRAGMA user_version = 1;"
	    "CREATE INDEX nodes_done ON nodes(run, done)");
	st = open_or_die();
	test_case(count_runs(st) == 2 &&
	    store_int(st, 0, "PRAGMA user_version", "") == STORE_VERSION &&
	    store_int(st, 0, "SELECT num FROM ended", "") == 2 &&
	    store_int(st, 0, "SELECT bytes FROM ended", "") == 1024 + 2 + 3 &&
	    store_int(st, 0, "SELECT 1 FROM sqlite_master WHERE"
	    " name = 'nodes_done'", "") == 0,
	    "a store of version 1 is brought up to date");
	store_close(st);
	wipe();
}

static void
refused(const char *what, const char *word)
{
	struct store	*st;
	char		 why[512];

	why[0] = '\0';
	st = store_open(path, why, sizeof(why));
	test_case(st == NULL && strstr(why, word) != NULL,
	    "%s is refused", what);
	if (st == NULL && strstr(why, word) == NULL)
		printf("# %s\n", why);
	store_close(st);
}

static void
write_file(const char *bytes, size_t n, off_t at)
{
	int	fd;

	if ((fd = open(path, O_WRONLY | O_CREAT, 0600)) == -1 ||
	    pwrite(fd, bytes, n, at) != (ssize_t)n)
		err(1, "%s", path);
	(void)close(fd);
}

static void
test_refusals(void)
{
	static char	 junk[4096];
	struct store	*st;

	patch_or_die("PRAGMA user_version = 99");
	refused("a store of a later version", "version 99");
	patch_or_die("PRAGMA user_version = 1; PRAGMA application_id = 5");
	refused("a database of another program", "not a journal");
	wipe();
	patch_or_die("CREATE TABLE mine (a); INSERT INTO mine VALUES (1)");
	refused("a database without a stamp", "not a journal");
	test_case(patch("DELETE FROM mine WHERE a = 1") == 0 &&
	    patch("SELECT num FROM runs") == -1, "and left as it is");
	wipe();
	memset(junk, 'x', sizeof(junk));
	write_file(junk, sizeof(junk), 0);
	refused("a file that is no database", "not a database");
	wipe();
	st = open_or_die();
	refused("a store that is in use", "locked");
	add_run(st, 1);
	store_commit(st);
	store_close(st);
	write_file(junk, sizeof(junk), 8192);
	refused("a damaged store", "damaged");
	wipe();
}

/* A keeper that was killed may hold its file for a moment longer. */
static void
test_handed_over(void)
{
	struct store	*st;
	char		 why[512] = "", c;
	int		 fds[2];
	pid_t		 pid;

	if (pipe(fds) == -1 || (pid = fork()) == -1)
		err(1, "test_handed_over");
	if (pid == 0) {
		(void)open_or_die();
		if (write(fds[1], "", 1) == 1)
			(void)usleep(300000);
		_exit(0);
	}
	if (read(fds[0], &c, 1) != 1)
		err(1, "read");
	st = store_open(path, why, sizeof(why));
	test_case(st != NULL, "a store whose holder is about to go %s", why);
	store_close(st);
	(void)waitpid(pid, NULL, 0);
	(void)close(fds[0]);
	(void)close(fds[1]);
	wipe();
}

/* ---- the transaction of a wake-up ---- */

static int	held, released;

static void
on_held(void *arg)
{
	(void)arg;
	held++;
}

static void
on_released(void *arg)
{
	(void)arg;
	released++;
}

static void
two_writes(int fd, short what, void *arg)
{
	(void)fd;
	(void)what;
	add_run(arg, 1);
	add_run(arg, 2);
	test_case(held == 1 && released == 0,
	    "the first write of a wake-up holds what is said");
}

static void
test_wakeup(void)
{
	struct event_base	*base = event_base_new();
	struct store		*st = open_or_die();
	struct event		*ev = event_new(base, -1, 0, two_writes, st);

	store_loop(st, base, on_held, on_released, NULL);
	event_active(ev, EV_TIMEOUT, 0);
	(void)event_base_loop(base, EVLOOP_ONCE | EVLOOP_NONBLOCK);
	test_case(held == 1 && released == 1 && !store_pending(st),
	    "one commit at the end of the pass lets it go");
	store_close(st);
	st = open_or_die();
	test_case(count_runs(st) == 2, "with both writes");
	event_free(ev);
	store_close(st);
	event_base_free(base);
	wipe();
}

/* ---- crashes ---- */

/* Commit one run after the other, and tell of each that is committed. */
static void __attribute__((noreturn))
child(int tell, long fail, int64_t most)
{
	struct store	*st;
	char		 why[512];
	int64_t		 i;
	int		 null;

	if ((null = open("/dev/null", O_WRONLY)) != -1)
		(void)dup2(null, STDERR_FILENO);	/* it will complain */
	if (fail > 0)
		failing_from(fail);
	if ((st = store_open(path, why, sizeof(why))) == NULL)
		_exit(3);
	for (i = 1; i <= most; i++) {
		add_run(st, i);
		store_commit(st);
		if (write(tell, "x", 1) != 1)
			_exit(4);
	}
	_exit(0);
}

/* Returns how many commits were told; status is the child's. */
static int64_t
watch(long fail, int64_t most, int64_t kill_after, int *status)
{
	int	 fds[2];
	int64_t	 told = 0;
	pid_t	 pid;
	char	 c;

	if (pipe(fds) == -1 || (pid = fork()) == -1)
		err(1, "fork");
	if (pid == 0)
		child(fds[1], fail, most);
	(void)close(fds[1]);
	while (read(fds[0], &c, 1) == 1)
		if (++told == kill_after)
			(void)kill(pid, SIGKILL);
	(void)close(fds[0]);
	if (waitpid(pid, status, 0) != pid)
		err(1, "waitpid");
	return (told);
}

static int
kept(int64_t told)
{
	struct store	*st = open_or_die();
	int64_t		 n = count_runs(st);

	store_close(st);
	wipe();
	return (n == told || n == told + 1);
}

static void
test_kill(void)
{
	int	status, ok = 1;
	int64_t	k, told;

	for (k = 1; k <= 12; k++) {
		told = watch(0, 100000, k, &status);
		ok = ok && WIFSIGNALED(status) && kept(told);
	}
	test_case(ok, "killed after any commit: all that was told is there");
}

static void
test_full(void)
{
	int	status, ok = 1;
	long	n;
	int64_t	told;

	for (n = 1; n < 1000; n++) {
		told = watch(n, 6, -1, &status);
		ok = ok && WIFEXITED(status) && kept(told);
		if (told == 6)
			break;
		ok = ok && WEXITSTATUS(status) != 0;
	}
	test_case(ok && told == 6, "the n-th write fails, for n up to %ld: "
	    "the process ends, all that was told is there", n);
}

int
main(void)
{
	(void)snprintf(dir, sizeof(dir), "%s/store_test.XXXXXX",
	    test_memory());
	if (mkdtemp(dir) == NULL)
		err(1, "mkdtemp");
	(void)snprintf(path, sizeof(path), "%s/keeper.db", dir);
	test_stamp();
	test_refusals();
	test_upgrade();
	test_handed_over();
	test_wakeup();
	test_kill();
	test_full();
	if (rmdir(dir) == -1)
		warn("%s", dir);
	return (test_end());
}

/*
 * Room on the disk for the journal.
 */
#include <sys/stat.h>
#include <sys/statvfs.h>

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "effect.h"
#include "keeper.h"
#include "log.h"
#include "runs.h"
#include "space.h"

#define RESERVE_MOST	(8LL * 1024 * 1024)
#define LEFT_LEAST	(64LL * 1024)	/* for a transaction or two */
#define LOG_MOST	(1000LL * 4096)	/* SQLite's wal_autocheckpoint */
#define SHARE_MOST	(512LL * 1024 * 1024)
#define HISTORY_MOST	(4LL * 1024 * 1024 * 1024)
#define LOOK_SECONDS	1

static const char	full[] = "the disk is full: there is no room for the "
			    "journal in the state directory";

int64_t
space_wanted(int64_t total)
{
	return (total / 16 < RESERVE_MOST ? total / 16 : RESERVE_MOST);
}

int64_t
space_share(int64_t total)
{
	return (total / 8 < SHARE_MOST ? total / 8 : SHARE_MOST);
}

int64_t
space_history(int64_t total)
{
	return (total / 4 < HISTORY_MOST ? total / 4 : HISTORY_MOST);
}

enum space
space_judge(int64_t reserved, int64_t wanted, int64_t left)
{
	if (reserved >= wanted && left >= LEFT_LEAST)
		return (SPACE_GOOD);
	return (reserved + left >= LEFT_LEAST ? SPACE_LOW : SPACE_NONE);
}

/*
 * What is committed is written to the log, and then to its place: twice. Of
 * what is in the log some may have no place yet, up to what SQLite lets it
 * have.
 */
int
space_takes(int64_t left, int64_t bytes, int64_t log)
{
	return (left >= LEFT_LEAST + 2 * bytes +
	    (log < LOG_MOST ? log : LOG_MOST));
}

/* The reserves lie beside the store: one for what runs, one for ends. */
static const char	running[] = "-reserve", ends[] = "-last";

static void
reserve_name(const struct store *store, const char *which, char *name,
    size_t len)
{
	(void)snprintf(name, len, "%s%s", store_path(store), which);
}

/* The bytes that a reserve really takes. */
static int64_t
reserved_now(const struct store *store, const char *which)
{
	struct stat	st;
	char		name[PATH_MAX];

	reserve_name(store, which, name, sizeof(name));
	if (stat(name, &st) == -1)
		return (0);
	return ((int64_t)st.st_blocks * 512);
}

static void
reserve_remove(const struct store *store, const char *which)
{
	char	name[PATH_MAX];

	reserve_name(store, which, name, sizeof(name));
	if (unlink(name) == -1 && errno != ENOENT)
		log_warn("%s", name);
}

/* Make a reserve whole; if that can't be, it is as it was, or gone. */
static void
reserve_make(const struct store *store, const char *which, int64_t wanted)
{
	char	name[PATH_MAX];
	int	fd;

	reserve_name(store, which, name, sizeof(name));
	fd = open(name, O_WRONLY | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0600);
	if (fd == -1)
		return;
	if (posix_fallocate(fd, 0, (off_t)wanted) != 0)
		reserve_remove(store, which);
	(void)close(fd);
}

void
space_release(const struct store *store)
{
	reserve_remove(store, running);
}

/* The size of the store's disk, and how much of it is left, in bytes. */
static void
disk_look(const struct store *store, int64_t *total, int64_t *left)
{
	struct statvfs	v;

	if (statvfs(store_path(store), &v) == -1)
		fatal("statvfs");
	*total = (int64_t)v.f_blocks * (int64_t)v.f_frsize;
	*left = (int64_t)v.f_bavail * (int64_t)v.f_frsize;
}

int64_t
space_total(const struct store *store)
{
	int64_t	total, left;

	disk_look(store, &total, &left);
	return (total);
}

/* Not of the last bytes: then it would be given up again at once. */
static void
reserve_hold(const struct store *store, const char *which)
{
	int64_t	total, left, wanted;

	disk_look(store, &total, &left);
	wanted = space_wanted(total);
	if (reserved_now(store, which) < wanted && left >= 2 * wanted)
		reserve_make(store, which, wanted);
}

static enum space
space_look(const struct store *store)
{
	int64_t	total, left;

	reserve_hold(store, ends);
	reserve_hold(store, running);
	disk_look(store, &total, &left);
	return (space_judge(reserved_now(store, running),
	    space_wanted(total), left));
}

void
space_lend(struct keeper *k)
{
	if (k->space == SPACE_GOOD)
		space_check(k);
	if (k->space == SPACE_GOOD)
		return;
	reserve_remove(k->store, ends);
	k->lent = 1;
}

void
space_take_back(struct keeper *k)
{
	if (k->lent)
		reserve_hold(k->store, ends);
	k->lent = 0;
}

/* One row of doctor. */
static void
space_tell(struct keeper *k)
{
	static const char *const	words[] = {
		[SPACE_GOOD] = "the state directory has room",
		[SPACE_LOW] = "the disk is full: no new runs and no tools "
		    "until the state directory has room",
		[SPACE_NONE] = "the disk is full: runs can only be cancelled "
		    "until the state directory has room",
	};

	if (k->space != SPACE_GOOD)
		log_warnx("%s", words[k->space]);
	keeper_send(k, IMSG_HOST_ROW, 0, keeper_pack("{s:s, s:b, s:s}",
	    "name", "disk", "ok", k->space == SPACE_GOOD, "text",
	    words[k->space]), NULL, 0);
}

/* There is more room than there was: take up what had to wait. */
static void
space_resume(struct keeper *k)
{
	if (!k->resumed && k->started && k->broker != NULL)
		recover_all(k);
	if (k->space == SPACE_GOOD) {
		log_info("the state directory has room again");
		effect_unpark_all(k);
		run_schedule(k);
	}
}

static void
space_again(int fd, short what, void *arg)
{
	struct keeper	*k = arg;
	enum space	 before = k->space;

	(void)fd;
	(void)what;
	space_check(k);
	if (k->space < before)
		space_resume(k);
}

void
space_check(struct keeper *k)
{
	struct timeval	tv = { .tv_sec = LOOK_SECONDS };
	enum space	now = space_look(k->store);
	int		news = now != k->space || k->space_timer == NULL;

	k->space = now;
	if (k->space_timer == NULL && (k->space_timer = event_new(k->base, -1,
	    0, space_again, k)) == NULL)
		fatalx("event_new");
	if (news)
		space_tell(k);
	if (now != SPACE_GOOD && event_add(k->space_timer, &tv) == -1)
		fatalx("event_add");
}

void
space_close(struct keeper *k)
{
	if (k->space_timer != NULL)
		event_free(k->space_timer);
	k->space_timer = NULL;
}

/* How long the log is, with what has its place already. */
static int64_t
log_length(const struct store *store)
{
	struct stat	st;
	char		name[PATH_MAX];

	reserve_name(store, "-wal", name, sizeof(name));
	return (stat(name, &st) == -1 ? 0 : (int64_t)st.st_size);
}

/* Is there room for a run of so many bytes? What others of this wake-up will
 * have is not written yet. */
static int
has_room(struct keeper *k, size_t bytes)
{
	int64_t	total, left, all = k->promised + (int64_t)bytes;

	disk_look(k->store, &total, &left);
	if (space_takes(left, all, log_length(k->store)))
		return (1);
	/* The log may have nothing that has no place yet. */
	if (!store_place(k->store))
		return (0);
	disk_look(k->store, &total, &left);
	return (space_takes(left, all, 0));
}

int
space_refuses(struct keeper *k, uint32_t id, size_t bytes)
{
	if (k->space_timer != NULL)
		space_again(-1, 0, k);
	if (k->space != SPACE_GOOD) {
		keeper_refuse(k, id, REFUSE_SPACE, "%s", full);
		return (1);
	}
	if (!has_room(k, bytes)) {
		keeper_refuse(k, id, REFUSE_SPACE, "the disk is nearly full: "
		    "the state directory has no room for the %zu bytes of "
		    "this run", bytes);
		return (1);
	}
	k->promised += (int64_t)bytes;
	return (0);
}

/*
 * How much of the disk is left for sandboxes, and what follows.
 */
#include <sys/resource.h>
#include <sys/statvfs.h>

#include <stdint.h>

#include "../steps.h"
#include "room.h"
#include "serve.h"

/* The share: an eighth, but no more than is good for a journal. */
#define SHARE		8
#define SHARE_MAX	(INT64_C(512) << 20)
/* As much as memory takes in a millisecond, from which disks are filled. */
#define BYTES_MS	(INT64_C(4) << 20)
#define LOOK_MS		50

/* Bytes that are free, and those that are to stay so. Returns -1 if the file
 * system does not say. */
static int
room_look(int64_t *avail, int64_t *share)
{
	struct statvfs	fs;

	if (statvfs(WORKSPACE, &fs) == -1 || fs.f_frsize == 0 ||
	    fs.f_blocks > INT64_MAX / fs.f_frsize)
		return (-1);
	*avail = (int64_t)(fs.f_bavail * fs.f_frsize);
	*share = (int64_t)(fs.f_blocks * fs.f_frsize) / SHARE;
	if (*share > SHARE_MAX)
		*share = SHARE_MAX;
	return (0);
}

int
room_limit(void)
{
	struct rlimit	rl;
	int64_t		avail, share, left;

	if (room_look(&avail, &share) == -1)
		return (0);
	if (getrlimit(RLIMIT_FSIZE, &rl) == -1)
		return (-1);
	left = avail > share ? avail - share : 0;
	return (rl.rlim_cur <= (rlim_t)left ? 0 :
	    limit_set(RLIMIT_FSIZE, left));
}

int
room_left_ms(void)
{
	int64_t	avail, share;

	if (room_look(&avail, &share) == -1)
		return (LOOK_MS);
	if (avail <= share / 2)
		return (0);
	avail = (avail - share / 2) / BYTES_MS;
	return (avail < 1 ? 1 : avail > LOOK_MS ? LOOK_MS : (int)avail);
}

/*
 * Where jails will put what they allocate.
 *
 * After the start there are holes everywhere: of objects and blocks that were
 * freed again. A jail would fill them, each on another page, which it shares
 * with us and has to copy for that. Here they are filled once, for good; what
 * a jail allocates then is side by side.
 */
#define PY_SSIZE_T_CLEAN
#include <Python.h>

#include <stdlib.h>

#include "python.h"

#define OBJECT_MAX	512	/* larger ones are malloc's */
#define OBJECT_STEP	16
#define BLOCK_MAX	65536
#define RUN		8192	/* so much in one piece is no hole */
#define HOLES_MAX	100000	/* of one size, at most */
/* There are a few hundred KB of them. An allocator with other ways, such as a
 * sanitizer's, is not to be filled for ever. */
#define BYTES_MAX	(8 * 1024 * 1024)

/*
 * Take objects of one size until they come one after the other, and give
 * back those that did, the last one first, so that they come so again.
 */
static void
objects_fill(size_t size)
{
	char	*run[RUN / OBJECT_STEP], *p;
	size_t	 i, n = 0;

	for (i = 0; i < HOLES_MAX && n < RUN / size; i++) {
		if ((p = PyObject_Malloc(size)) == NULL)
			break;
		if (n > 0 && p != run[n - 1] + size)
			n = 0;	/* those were in holes: they stay */
		run[n++] = p;
	}
	while (n > 0)
		PyObject_Free(run[--n]);
}

/* Take blocks of one size until one comes from above the mark, or there are
 * no bytes left to take. */
static void
blocks_fill(size_t size, const char *mark, size_t *bytes)
{
	char	*p;

	for (; *bytes >= size; *bytes -= size) {
		p = malloc(size);
		if (p == NULL || p > mark) {
			free(p);
			return;
		}
	}
}

void
python_settle(void)
{
	size_t	 size, bytes = BYTES_MAX;
	char	*mark;

	for (size = OBJECT_STEP; size <= OBJECT_MAX; size += OBJECT_STEP)
		objects_fill(size);
	/* The largest first, or they would be cut for the smaller. */
	if ((mark = malloc(BLOCK_MAX + 1)) == NULL)
		return;
	for (size = BLOCK_MAX; size > OBJECT_MAX * 8; size -= OBJECT_MAX)
		blocks_fill(size, mark, &bytes);
	for (; size >= OBJECT_STEP; size -= OBJECT_STEP)
		blocks_fill(size, mark, &bytes);
	free(mark);
}

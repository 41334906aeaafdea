/*
 * Reading a whole file, of a bounded size, without leaving copies behind.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "readall.h"

int
readall(int fd, size_t max, char **buf, size_t *len)
{
	ssize_t	n;
	size_t	used = 0;
	char	*text;
	int	saved;

	/* One byte more than allowed, so that too long is seen as such. */
	if ((text = calloc(1, max + 2)) == NULL)
		return (-1);
	while (used <= max) {
		n = read(fd, text + used, max + 1 - used);
		if (n == -1 && errno == EINTR)
			continue;
		if (n == -1)
			goto fail;
		if (n == 0) {
			*buf = text;
			*len = used;
			return (0);
		}
		used += (size_t)n;
	}
	errno = EFBIG;

 fail:
	saved = errno;
	explicit_bzero(text, max + 2);
	free(text);
	errno = saved;
	return (-1);
}

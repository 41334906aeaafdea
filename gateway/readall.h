/*
 * Reading a file that the supervisor has opened.
 */
#ifndef READALL_H
#define READALL_H

#include <stddef.h>

/*
 * Read fd, a regular file, from its begin to its end. Returns 0 with buf,
 * NUL-terminated and the caller's to free, or -1 with errno set: EFBIG if
 * there are more than max bytes. What is freed within is wiped before.
 */
int	 readall(int fd, size_t max, char **buf, size_t *len)
	    __attribute__((warn_unused_result));

#endif

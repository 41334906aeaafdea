/*
 * The sender behind log.h: one line to the log socket, or to standard error.
 */
#ifndef LOG_SEND_H
#define LOG_SEND_H

#include <stddef.h>

/* Send or queue one encoded line. pri as for syslog(3). Never blocks. */
void		 log_send(int pri, const char *line);
/* The name given to log_init(). */
const char	*log_who(void);
/* Encode a line for people: as log_vis(), but quotes and backslashes pass. */
void		 log_clean(char *dst, size_t dstlen, const char *src);

#endif

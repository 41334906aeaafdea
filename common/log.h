/*
 * Log lines and audit lines: the same sender for both. Nothing here blocks:
 * what the log socket does not take waits in a bounded queue, and what the
 * queue does not take is counted and said as dropped=N first thing after.
 */
#ifndef LOG_H
#define LOG_H

#include <stddef.h>

struct event_base;

/* name is the room's ("broker"), kept by reference. With debug, debug lines
 * are logged too. Until log_set_socket() lines go to standard error. */
void	 log_init(const char *name, int debug);
/* Use fd, a datagram socket (taken; -1: standard error again). One that is
 * not connected, because nobody listens yet, is lost from the beginning. */
void	 log_set_socket(int fd);
/* Before the end: send what waits, or write it to standard error. fatal()
 * and fatalx() do it themselves. */
void	 log_flush(void);
/* Retry from this loop. lost() is called, at most once a second, when the
 * socket is broken and a new one is needed. */
void	 log_loop(struct event_base *, void (*lost)(void *), void *ctx);
/* boot is a text that names this start of the daemon, copied. */
void	 log_set_boot(const char *boot);

void	 log_debug(const char *, ...) __attribute__((format(printf, 1, 2)));
void	 log_info(const char *, ...) __attribute__((format(printf, 1, 2)));
void	 log_warnx(const char *, ...) __attribute__((format(printf, 1, 2)));
/* Appends strerror(errno), as err(3) does. */
void	 log_warn(const char *, ...) __attribute__((format(printf, 1, 2)));
void	 fatal(const char *, ...)
	    __attribute__((format(printf, 1, 2), noreturn));
void	 fatalx(const char *, ...)
	    __attribute__((format(printf, 1, 2), noreturn));

/*
 * One audit line: event "jail.spawn", outcome "grant", "deny", "ok" or
 * "fail", then pairs of key and value, ended by NULL. A pair whose value is
 * NULL is left out. Values are encoded: whatever a script wrote, it stays
 * one quoted value in one line. Facility AUTHPRIV; deny and fail are
 * warnings, all else is notice.
 */
void	 audit(const char *event, const char *outcome, ...)
	    __attribute__((sentinel));

/* A number as an audit value: lent until the eighth call from here. */
const char	*audit_int(long long);

/*
 * Encode n bytes of text for one line of a log into dst: printable ASCII and
 * valid UTF-8 pass; controls, C1, U+2028/9, bidi controls, bad bytes,
 * backslash and the double quote become \xNN, \u{N}, \\ and \". What does
 * not fit is cut and marked "...". Returns dst.
 */
char	*log_vis(char *dst, size_t dstlen, const char *src, size_t n);

#endif

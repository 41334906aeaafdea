/*
 * HTTP requests on the event loop: libcurl's multi interface, libevent's
 * timers and descriptors.
 */
#ifndef HTTP_H
#define HTTP_H

#include <event2/event.h>

#include <curl/curl.h>
#include <stddef.h>
#include <stdint.h>

struct http;
struct http_request;

enum http_end {
	HTTP_DONE,		/* the whole response has come */
	HTTP_UNREACHABLE,	/* no name, no route, nobody listens */
	HTTP_UNTRUSTED,		/* TLS: not who it should be */
	HTTP_CONNECT_TIMEOUT,
	HTTP_IDLE_TIMEOUT,
	HTTP_TOTAL_TIMEOUT,
	HTTP_BROKEN,		/* cut before the end */
	HTTP_NONSENSE,		/* not HTTP */
	HTTP_TOO_LONG,		/* more bytes than we take */
	HTTP_STOPPED,		/* data() wanted no more */
	HTTP_MEMORY,
};

/* What is asked. All of it is copied or used up at once. */
struct http_ask {
	const char		*url;
	const char *const	*headers;	/* ends with NULL */
	const char		*body;		/* posted; NULL: a GET */
	size_t			 bodylen;
	int64_t			 connect_timeout, idle_timeout, total_timeout;
	size_t			 most;		/* bytes of response */
};

struct http_ops {
	/* One header of the response, both NUL-terminated. */
	void	(*header)(void *, const char *name, const char *value);
	/* Bytes of the response's body. -1: enough of it. */
	int	(*data)(void *, const char *, size_t);
	/* The end, once; the request is freed afterwards. why is for people
	 * and lent. status is 0 if no response came. */
	void	(*end)(void *, enum http_end, int status, const char *why);
};

/* Before the filter closes: load what libcurl and its TLS need. */
void		 http_load(void);
/* NULL: out of memory. */
struct http	*http_new(struct event_base *);
void		 http_free(struct http *);

/* Begin. Returns NULL if there is no memory; nothing is called then. No
 * callback is called from within. */
struct http_request	*http_start(struct http *, const struct http_ask *,
			    const struct http_ops *, void *ctx);
/* The status of the response so far, 0 if there is none yet. */
int			 http_status(const struct http_request *);
/* Stop at once and free it; end() is not called. Not from a callback. */
void			 http_cancel(struct http_request *);

#endif

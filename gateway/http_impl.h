/*
 * Requests and what libcurl waits for, as they know each other.
 */
#ifndef HTTP_IMPL_H
#define HTTP_IMPL_H

#include "http.h"

struct http {
	CURLM			*multi;
	struct event_base	*base;
	struct event		*timer;
};

struct http_request {
	struct http		*http;
	CURL			*easy;
	struct curl_slist	*headers;
	const struct http_ops	*ops;
	void			*ctx;
	struct event		*idle;
	struct timeval		 idle_limit;
	size_t			 left;		/* bytes we still take */
	int			 too_long;
	char			 error[CURL_ERROR_SIZE];
};

/* Take the requests that libcurl has done with. */
void	 http_reap(struct http *);

#endif

/*
 * HTTP on the event loop. libcurl says which descriptors and which moment it
 * waits for; libevent waits. One request is one connection: libcurl repeats
 * a request of itself when a connection that it kept turns out to be dead,
 * and a model call must not be made twice without anybody knowing.
 */
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "http_impl.h"
#include "log.h"
#include "secret.h"

void
http_load(void)
{
	/* What libraries read from the environment is not for us. */
	if (clearenv() != 0)
		fatalx("clearenv");
	if (curl_global_init(CURL_GLOBAL_DEFAULT) != 0)
		fatalx("curl_global_init");
}

static void
request_free(struct http_request *r)
{
	struct curl_slist	*h;

	if (r->idle != NULL)
		event_free(r->idle);
	if (r->easy != NULL)
		curl_easy_cleanup(r->easy);
	for (h = r->headers; h != NULL; h = h->next)
		explicit_bzero(h->data, strlen(h->data));
	curl_slist_free_all(r->headers);
	free(r);
}

void
http_cancel(struct http_request *r)
{
	(void)curl_multi_remove_handle(r->http->multi, r->easy);
	request_free(r);
}

/* ---- the end ---- */

static enum http_end
end_of(struct http_request *r, CURLcode code)
{
	curl_off_t	sent = 0;

	switch ((int)code) {
	case CURLE_OK:
		return (HTTP_DONE);
	case CURLE_COULDNT_RESOLVE_HOST:
	case CURLE_COULDNT_CONNECT:
	case CURLE_SSL_CONNECT_ERROR:
		return (HTTP_UNREACHABLE);
	case CURLE_PEER_FAILED_VERIFICATION:
	case CURLE_SSL_CERTPROBLEM:
	case CURLE_SSL_CACERT_BADFILE:
	case CURLE_SSL_ISSUER_ERROR:
		return (HTTP_UNTRUSTED);
	case CURLE_OPERATION_TIMEDOUT:
		(void)curl_easy_getinfo(r->easy, CURLINFO_PRETRANSFER_TIME_T,
		    &sent);
		return (sent == 0 ? HTTP_CONNECT_TIMEOUT : HTTP_TOTAL_TIMEOUT);
	case CURLE_WRITE_ERROR:
		return (r->too_long ? HTTP_TOO_LONG : HTTP_STOPPED);
	case CURLE_WEIRD_SERVER_REPLY:
	case CURLE_UNSUPPORTED_PROTOCOL:
	case CURLE_BAD_CONTENT_ENCODING:
		return (HTTP_NONSENSE);
	case CURLE_OUT_OF_MEMORY:
		return (HTTP_MEMORY);
	}
	return (HTTP_BROKEN);
}

int
http_status(const struct http_request *r)
{
	long	status = 0;

	(void)curl_easy_getinfo(r->easy, CURLINFO_RESPONSE_CODE, &status);
	return ((int)status);
}

static void
request_end(struct http_request *r, enum http_end end, const char *why)
{
	int	status = http_status(r);

	(void)curl_multi_remove_handle(r->http->multi, r->easy);
	r->ops->end(r->ctx, end, status, why);
	request_free(r);
}

/* Take the requests that libcurl has done with. */
void
http_reap(struct http *http)
{
	struct http_request	*r;
	CURLMsg			*m;
	CURLcode		 code;
	int			 left;

	while ((m = curl_multi_info_read(http->multi, &left)) != NULL) {
		if (m->msg != CURLMSG_DONE)
			continue;
		code = m->data.result;
		(void)curl_easy_getinfo(m->easy_handle, CURLINFO_PRIVATE, &r);
		request_end(r, end_of(r, code), *r->error != '\0' ?
		    r->error : curl_easy_strerror(code));
	}
}

static void
idle_fired(int fd, short what, void *arg)
{
	(void)fd;
	(void)what;
	request_end(arg, HTTP_IDLE_TIMEOUT, "nothing came for too long");
}

/* ---- what comes in ---- */

/* Any byte shows that somebody is there. Returns -1 if it is too many. */
static int
take(struct http_request *r, size_t n)
{
	if (event_add(r->idle, &r->idle_limit) == -1)
		fatalx("http: event_add");
	if (n > r->left) {
		r->too_long = 1;
		return (-1);
	}
	r->left -= n;
	return (0);
}

static size_t
on_body(char *data, size_t size, size_t n, void *arg)
{
	struct http_request	*r = arg;

	n *= size;
	if (take(r, n) == -1 || r->ops->data(r->ctx, data, n) == -1)
		return (0);
	return (n);
}

/* Cut line[n] into a name and a value. */
static void
header_split(struct http_request *r, char *line, size_t n)
{
	char	*value;

	while (n > 0 && (line[n - 1] == '\r' || line[n - 1] == '\n' ||
	    line[n - 1] == ' '))
		n--;
	line[n] = '\0';
	if ((value = strchr(line, ':')) == NULL)
		return;
	*value++ = '\0';
	value += strspn(value, " \t");
	r->ops->header(r->ctx, line, value);
}

static size_t
on_header(char *data, size_t size, size_t n, void *arg)
{
	struct http_request	*r = arg;
	char			 line[1024];

	n *= size;
	if (take(r, n) == -1)
		return (0);
	/* None that we care for is longer. */
	if (n < sizeof(line)) {
		memcpy(line, data, n);
		header_split(r, line, n);
	}
	return (n);
}

/* ---- what goes out ---- */

static int
headers_make(struct http_request *r, const char *const *headers)
{
	struct curl_slist	*grown;

	for (; *headers != NULL; headers++) {
		if ((grown = curl_slist_append(r->headers, *headers)) == NULL)
			return (-1);
		r->headers = grown;
	}
	return (0);
}

/* Where to, and what. */
static int
set_question(struct http_request *r, const struct http_ask *ask)
{
	CURL	*e = r->easy;
	int	 bad = 0;

	bad |= curl_easy_setopt(e, CURLOPT_URL, ask->url);
	bad |= curl_easy_setopt(e, CURLOPT_HTTPHEADER, r->headers);
	if (ask->body != NULL) {
		bad |= curl_easy_setopt(e, CURLOPT_POST, 1L);
		bad |= curl_easy_setopt(e, CURLOPT_POSTFIELDSIZE_LARGE,
		    (curl_off_t)ask->bodylen);
		bad |= curl_easy_setopt(e, CURLOPT_COPYPOSTFIELDS, ask->body);
	}
	bad |= curl_easy_setopt(e, CURLOPT_CONNECTTIMEOUT_MS,
	    (long)ask->connect_timeout * 1000);
	bad |= curl_easy_setopt(e, CURLOPT_TIMEOUT_MS,
	    (long)ask->total_timeout * 1000);
	return (bad);
}

/* What a server must not be able to make us do. */
static int
set_limits(CURL *e)
{
	int	bad = 0;

	bad |= curl_easy_setopt(e, CURLOPT_PROTOCOLS_STR, "http,https");
	bad |= curl_easy_setopt(e, CURLOPT_FOLLOWLOCATION, 0L);
	bad |= curl_easy_setopt(e, CURLOPT_PROXY, "");
	bad |= curl_easy_setopt(e, CURLOPT_NETRC, (long)CURL_NETRC_IGNORED);
	bad |= curl_easy_setopt(e, CURLOPT_SSL_VERIFYPEER, 1L);
	bad |= curl_easy_setopt(e, CURLOPT_SSL_VERIFYHOST, 2L);
	bad |= curl_easy_setopt(e, CURLOPT_SSLVERSION,
	    (long)CURL_SSLVERSION_TLSv1_2);
	bad |= curl_easy_setopt(e, CURLOPT_HTTP_VERSION,
	    (long)CURL_HTTP_VERSION_1_1);
	bad |= curl_easy_setopt(e, CURLOPT_FRESH_CONNECT, 1L);
	bad |= curl_easy_setopt(e, CURLOPT_FORBID_REUSE, 1L);
	bad |= curl_easy_setopt(e, CURLOPT_NOSIGNAL, 1L);
	/* A cancelled look-up is left to end alone: nobody waits for it. */
	bad |= curl_easy_setopt(e, CURLOPT_QUICK_EXIT, 1L);
	return (bad);
}

static int
set_callbacks(struct http_request *r)
{
	CURL	*e = r->easy;
	int	 bad = 0;

	bad |= curl_easy_setopt(e, CURLOPT_PRIVATE, r);
	bad |= curl_easy_setopt(e, CURLOPT_ERRORBUFFER, r->error);
	bad |= curl_easy_setopt(e, CURLOPT_WRITEFUNCTION, on_body);
	bad |= curl_easy_setopt(e, CURLOPT_WRITEDATA, r);
	bad |= curl_easy_setopt(e, CURLOPT_HEADERFUNCTION, on_header);
	bad |= curl_easy_setopt(e, CURLOPT_HEADERDATA, r);
	return (bad);
}

/* Before the first byte the connection may take its time, too. */
static int
idle_begin(struct http_request *r, const struct http_ask *ask)
{
	struct timeval	first = { ask->connect_timeout + ask->idle_timeout, 0 };

	r->idle_limit.tv_sec = ask->idle_timeout;
	r->idle = event_new(r->http->base, -1, 0, idle_fired, r);
	return (r->idle == NULL ? -1 : event_add(r->idle, &first));
}

struct http_request *
http_start(struct http *http, const struct http_ask *ask,
    const struct http_ops *ops, void *ctx)
{
	struct http_request	*r;

	if ((r = calloc(1, sizeof(*r))) == NULL)
		return (NULL);
	r->http = http;
	r->ops = ops;
	r->ctx = ctx;
	r->left = ask->most;
	if ((r->easy = curl_easy_init()) == NULL ||
	    headers_make(r, ask->headers) == -1 ||
	    set_question(r, ask) != 0 || set_limits(r->easy) != 0 ||
	    set_callbacks(r) != 0 || idle_begin(r, ask) == -1 ||
	    curl_multi_add_handle(http->multi, r->easy) != CURLM_OK) {
		request_free(r);
		return (NULL);
	}
	return (r);
}

/*
 * The n-th allocation fails, for n = 1, 2, ... until none does: no crash, a
 * proper complaint, and nothing left on the heap.
 */
#include <dlfcn.h>
#include <jansson.h>
#include <stdlib.h>
#include <string.h>

#include "attempts.h"
#include "canned.h"
#include "config.h"
#include "openai_request.h"
#include "response.h"
#include "test.h"

#ifndef __SANITIZE_ADDRESS__

void	*__libc_malloc(size_t);
void	*__libc_calloc(size_t, size_t);
void	*__libc_realloc(void *, size_t);
void	 __libc_free(void *);

static long	countdown = -1;		/* -1: all succeed */
static long	live;
static int	spared;

static int
fails(void)
{
	return (!spared && countdown > 0 && --countdown == 0);
}

/* jansson's own reader does not survive it, so it is spared. */
json_t *
json_loadb(const char *buf, size_t len, size_t flags, json_error_t *error)
{
	json_t	*(*real)(const char *, size_t, size_t, json_error_t *);
	json_t	*v;

	spared = 1;
	*(void **)&real = dlsym(RTLD_NEXT, "json_loadb");
	v = real(buf, len, flags, error);
	spared = 0;
	return (v);
}

static void *
counted(void *p)
{
	live += p != NULL;
	return (p);
}

void *
malloc(size_t n)
{
	return (fails() ? NULL : counted(__libc_malloc(n)));
}

void *
calloc(size_t n, size_t size)
{
	return (fails() ? NULL : counted(__libc_calloc(n, size)));
}

void *
realloc(void *p, size_t n)
{
	void	*grown;

	if (fails())
		return (NULL);
	grown = __libc_realloc(p, n);
	if (p == NULL && grown != NULL)
		live++;
	return (grown);
}

void
free(void *p)
{
	live -= p != NULL;
	__libc_free(p);
}

static const char	rules[] =
	"{\"rules\":[{\"name\":\"n\",\"when\":{\"turn\":{\"min\":0},"
	"\"offers\":[\"read\"],\"messages\":[{\"name\":\"q\",\"role\":"
	"\"user\",\"regex\":\"read (.+)\",\"as\":[\"file\"]}]},\"let\":{"
	"\"n\":{\"count\":\"a\",\"in\":\"q\"},\"all\":{\"all\":\"[a-z]+\"}},"
	"\"where\":{\"n\":1},\"text\":\"${file} ${all}\",\"calls\":[{\"name\":"
	"\"f\",\"arguments\":{\"a\":[\"${n}\",{\"b\":\"${file}!\"}]}}]}]}";
static const char	body_text[] =
	"{\"messages\":[{\"role\":\"system\",\"content\":\"s\"},{\"role\":"
	"\"assistant\",\"content\":null,\"tool_calls\":[{\"id\":\"1\",\"name\":"
	"\"f\",\"arguments\":{\"a\":1}}]},{\"role\":\"user\",\"content\":"
	"\"read a b c\"}],\"tools\":[{\"name\":\"read\",\"description\":\"d\","
	"\"input\":{}}]}";
static const char	config_text[] =
	"{\"providers\":{\"a\":{\"type\":\"openai\",\"url\":\"http://h\"}},"
	"\"models\":{\"m\":{\"provider\":\"a\",\"name\":\"n\"}}}";
static const char	stream[] =
	"data: {\"id\":\"x\",\"choices\":[{\"delta\":{\"content\":\"hi\","
	"\"tool_calls\":[{\"index\":0,\"id\":\"i\",\"function\":{\"name\":\"f\""
	",\"arguments\":\"{\\\"a\\\":[1]}\"}},{\"index\":1,\"function\":{"
	"\"name\":\"g\",\"arguments\":{\"b\":2}}}]}}]}\n\n"
	"data: {\"choices\":[{\"delta\":{},\"finish_reason\":\"tool_calls\"}]}"
	"\n\ndata: [DONE]\n\n";

static json_t	*body, *config_json;

/* Each returns 1 if it went well, 0 if it said why not, -1 if it did not. */
static int
try_canned(void)
{
	struct canned_question	 q = { "m", 0, body };
	struct canned_answer	 a;
	struct canned		*c;
	char			 why[256] = "";
	int			 ret;

	c = canned_parse(rules, sizeof(rules) - 1, why, sizeof(why));
	if (c == NULL)
		return (*why == '\0' ? -1 : 0);
	canned_answer(c, &q, &a);
	ret = a.message != NULL ? 1 : *a.failure.text == '\0' ? -1 : 0;
	json_decref(a.message);
	json_decref(a.partial);
	canned_free(c);
	return (ret);
}

static int
try_config(void)
{
	struct config	*c;
	char		 why[256] = "";

	c = config_parse(config_json, why, sizeof(why));
	config_free(c);
	return (c != NULL ? 1 : *why == '\0' ? -1 : 0);
}

static int
try_request(void)
{
	json_t	*v = openai_request(body, "m", "max_tokens", 5);
	int	 ret = v != NULL;

	json_decref(v);
	return (ret);
}

static int
try_response(void)
{
	static struct response	 r;
	const char		*finish;
	json_t			*m;
	int			 ret;

	response_init(&r, 0);
	(void)response_data(&r, 200, stream, sizeof(stream) - 1);
	m = response_end(&r, HTTP_DONE, 200, "", 0, &finish);
	ret = m != NULL ? 1 : *r.failure.text == '\0' ? -1 : 0;
	json_decref(m);
	response_free(&r);
	return (ret);
}

static int
try_error(void)
{
	static const char	 error[] = "{\"error\":{\"message\":\"slow\","
				    "\"code\":\"x\"}}";
	static struct response	 r;
	const char		*finish;
	int			 ret;

	response_init(&r, 0);
	(void)response_data(&r, 429, error, sizeof(error) - 1);
	ret = response_end(&r, HTTP_DONE, 429, "", 0, &finish) != NULL ||
	    *r.failure.text == '\0' ? -1 :
	    strstr(r.failure.text, "slow") != NULL;
	response_free(&r);
	return (ret);
}

static int
try_attempts(void)
{
	struct attempts	*a;
	int64_t		 n;

	if ((a = attempts_new()) == NULL)
		return (0);
	(void)attempts_count(a, "r", "/a", 1);
	n = attempts_count(a, "r", "/a", 1);
	attempts_free(a);
	return (n == 1);
}

static void
nth_failure(const char *what, int (*try)(void))
{
	long	n, before;
	int	ret = 0, bad = 0;

	(void)try();	/* what a library keeps for good is there now */
	before = live;
	for (n = 1; ret != 1 && n < 10000 && !bad; n++) {
		countdown = n;
		ret = try();
		countdown = -1;
		bad = ret == -1 || live != before;
	}
	if (!test_case(!bad && ret == 1 && n > 2,
	    "%s: each of its allocations may fail", what))
		printf("number %ld: %d, %ld left\n", n - 1, ret,
		    live - before);
}

int
main(void)
{
	body = json_loads(body_text, 0, NULL);
	config_json = json_loads(config_text, 0, NULL);
	if (body == NULL || config_json == NULL)
		return (1);
	nth_failure("canned rules and an answer", try_canned);
	nth_failure("configuration", try_config);
	nth_failure("request", try_request);
	nth_failure("response", try_response);
	nth_failure("error response", try_error);
	nth_failure("attempts", try_attempts);
	json_decref(body);
	json_decref(config_json);
	return (test_end());
}

#else

int
main(void)
{
	test_skip("the n-th allocation: the sanitizer has its own");
	return (test_end());
}

#endif

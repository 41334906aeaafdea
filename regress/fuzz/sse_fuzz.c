/* ROOM: gateway
 * A response of any bytes, cut anywhere, with any status: a message or a
 * failure, never a crash. The first byte says how it is cut, the second the
 * status; the rest is the body.
 */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "response.h"

int	LLVMFuzzerTestOneInput(const uint8_t *, size_t);

static const int	statuses[] = { 200, 200, 200, 200, 204, 307, 400, 429,
			    500 };

static void
feed(struct response *r, int status, const char *data, size_t n, size_t step)
{
	size_t	len;

	for (; n > 0; data += len, n -= len) {
		len = n < step ? n : step;
		if (response_data(r, status, data, len) == -1)
			return;
	}
}

static void
finish(struct response *r, int status, int cut)
{
	const char	*word;
	json_t		*message;
	char		*text;

	message = response_end(r, cut ? HTTP_BROKEN : HTTP_DONE, status,
	    "cut", 784111777, &word);
	if (message == NULL) {
		if (strlen(r->failure.text) == 0)
			abort();
		return;
	}
	/* What comes out must be fit to be sent on. */
	if ((text = json_dumps(message, JSON_COMPACT)) == NULL)
		abort();
	free(text);
	json_decref(message);
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct response	*r;
	int		 status;

	if (size < 2 || (r = malloc(sizeof(*r))) == NULL)
		return (0);
	status = statuses[data[1] % (sizeof(statuses) / sizeof(statuses[0]))];
	response_init(r, data[1]);
	response_header(r, "content-type", "text/event-stream");
	feed(r, status, (const char *)data + 2, size - 2,
	    (size_t)(data[0] >> 1) + 1);
	finish(r, status, data[0] & 1);
	response_free(r);
	free(r);
	return (0);
}

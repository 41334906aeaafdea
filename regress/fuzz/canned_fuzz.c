/* ROOM: gateway
 * A rules file of any bytes: a complaint, or rules that answer a
 * conversation, never a crash.
 */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "canned.h"

int	LLVMFuzzerTestOneInput(const uint8_t *, size_t);

static const char	conversation[] =
	"{\"messages\":["
	"{\"role\":\"system\",\"content\":\"You are a step.\"},"
	"{\"role\":\"user\",\"content\":\"Review the file a/b.c\\n\\nRead\"},"
	"{\"role\":\"assistant\",\"content\":null,\"tool_calls\":[{\"id\":"
	"\"call_1\",\"name\":\"read\",\"arguments\":{\"path\":\"a/b.c\"}}]},"
	"{\"role\":\"tool\",\"id\":\"call_1\",\"name\":\"read\",\"content\":"
	"\"/*\\n * Does things.\\n */\\nint\\nmain(void)\\n{\\n}\\n"
	"TODO 12 \\u00e4\\n\"}],"
	"\"tools\":[{\"name\":\"read\",\"description\":\"\",\"input\":{}},"
	"{\"name\":\"finish\",\"description\":\"\",\"input\":{}}]}";

static void
ask(const struct canned *c)
{
	static json_t		*body;
	struct canned_question	 q = { "m", 0, NULL };
	struct canned_answer	 a;
	char			*text;

	if (body == NULL && (body = json_loads(conversation, 0, NULL)) == NULL)
		abort();
	q.body = body;
	canned_answer(c, &q, &a);
	if (a.message == NULL && *a.failure.text == '\0')
		abort();
	if (a.message != NULL) {
		/* What comes out must be fit to be sent on. */
		if ((text = json_dumps(a.message, JSON_COMPACT)) == NULL)
			abort();
		free(text);
	}
	json_decref(a.message);
	json_decref(a.partial);
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct canned	*c;
	char		 why[512] = "";

	c = canned_parse((const char *)data, size, why, sizeof(why));
	if (c == NULL && *why == '\0')
		abort();
	if (c != NULL)
		ask(c);
	canned_free(c);
	return (0);
}

/* ROOM: wfsupctl
 * Events with any bodies to wfsupctl's lines and picture: nothing crashes,
 * and no byte that a terminal obeys comes out. Input: lines, each a letter
 * for the kind and a JSON text.
 */
#include <locale.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "event.h"
#include "json.h"
#include "progress.h"

int	LLVMFuzzerTestOneInput(const uint8_t *, size_t);

static const char *const kinds[] = { "state", "phase", "log", "node.start",
    "node.end", "tool", "hole", "text", "other" };

static void
check_text(const char *text, int newline)
{
	for (; *text != '\0'; text++)
		if (((unsigned char)*text < 0x20 && *text != '\t' &&
		    (*text != '\n' || !newline)) || *text == 0x7f)
			abort();
}

static void
one_event(struct progress *p, const char *line, size_t len, int64_t seq)
{
	struct event	 ev;
	char		*text, why[128];

	ev.seq = seq;
	ev.at = seq * 1000;
	ev.kind = kinds[(unsigned char)line[0] % (sizeof(kinds) /
	    sizeof(kinds[0]))];
	ev.body = json_parse(line + 1, len - 1, JSON_DEPTH_MAX, why,
	    sizeof(why));
	if (ev.body == NULL)
		return;
	progress_event(p, &ev);
	if ((text = event_line(&ev)) != NULL)
		check_text(text, 1);
	free(text);
	json_decref(event_object(&ev));
	json_decref(ev.body);
}

static void
check_picture(const struct progress *p, size_t max)
{
	struct line	lines[24];
	size_t		i, n;

	n = progress_lines(p, 5000, max * 4, lines, max);
	if (n > max)
		abort();
	for (i = 0; i < n; i++)
		check_text(lines[i].text, 0);
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct progress	*p;
	const char	*end, *line, *nl;
	int64_t		 seq = 1;

	(void)setlocale(LC_CTYPE, "C.UTF-8");	/* else a byte a column */
	p = progress_new("run");
	end = (const char *)data + size;
	for (line = (const char *)data; line < end; line = nl + 1) {
		if ((nl = memchr(line, '\n', (size_t)(end - line))) == NULL)
			nl = end;
		if (nl - line > 1)
			one_event(p, line, (size_t)(nl - line), seq++);
	}
	check_picture(p, 24);
	check_picture(p, size % 24);
	progress_free(p);
	return (0);
}

/*
 * Text as it comes from the model: gathered, and kept in segments so that a
 * crash costs at most the last seconds of a long answer.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "log.h"
#include "turn.h"
#include "turn_journal.h"

#define FLUSH_SECONDS	3
#define STREAM_MAX	(1024 * 1024)	/* of one answer; more isn't kept */

static void
flush(int fd, short what, void *arg)
{
	struct agent	*a = arg;

	(void)fd;
	(void)what;
	if (a->stream.len == 0)
		return;
	if (!journal_segment(a->store, a->submission, a->attempt,
	    a->stream.segments, a->stream.text, a->stream.len))
		log_warnx("%s: no stream to keep", node_path(a->node));
	a->stream.segments++;
	a->stream.len = 0;
}

static void
arm(struct agent *a)
{
	static const struct timeval	tv = { FLUSH_SECONDS, 0 };
	struct stream			*s = &a->stream;

	if (s->flush == NULL)
		s->flush = evtimer_new(run_base(a->run), flush, a);
	if (s->flush == NULL)
		fatalx("no timer");
	if (!evtimer_pending(s->flush, NULL) &&
	    evtimer_add(s->flush, &tv) == -1)
		fatalx("no timer");
}

void
stream_add(struct agent *a, const char *text)
{
	struct stream	*s = &a->stream;
	size_t		 n = strlen(text), size;
	char		*grown;

	if (n == 0 || n > STREAM_MAX || s->len + n > STREAM_MAX)
		return;
	if (s->len + n > s->size) {
		size = (s->len + n) * 2;
		if ((grown = realloc(s->text, size)) == NULL)
			fatal("realloc");
		s->text = grown;
		s->size = size;
	}
	memcpy(s->text + s->len, text, n);
	s->len += n;
	arm(a);
}

void
stream_end(struct agent *a)
{
	if (a->stream.flush != NULL)
		event_free(a->stream.flush);
	free(a->stream.text);
	memset(&a->stream, 0, sizeof(a->stream));
}

/*
 * Is there a stream that the transcript knows nothing of? Not if the leaf is
 * newer than the checkpoint: then the answer itself has been saved.
 */
static int
is_open(const struct journal *j, const struct transcript *t)
{
	return (j->phase == JOURNAL_PROVIDER_STARTED &&
	    j->stream_key[0] != '\0' && !j->stream_consumed &&
	    j->checkpoint_leaf == t->leaf);
}

static int64_t
append(struct agent *a, enum entry_kind kind, const char *prefix,
    const char *stream_key, json_t *body)
{
	char	key[96];

	if (body == NULL)
		fatalx("json: an entry");
	(void)snprintf(key, sizeof(key), "%s%s", prefix, stream_key);
	return (turn_append(a, kind, key, body));
}

/* The partial and its pair of signals, under names that make a second time
 * change nothing. */
static int
append_partial(struct agent *a, const char *stream_key, const char *text)
{
	return (append(a, ENTRY_ASSISTANT, "p", stream_key,
	    json_pack("{s:s, s:s}", "stop", stop_name(STOP_ABORTED),
	    "content", text)) != 0 &&
	    append(a, ENTRY_SIGNAL, "i", stream_key, json_pack("{s:s, s:s}",
	    "signal", signal_name(SIGNAL_INTERRUPTED), "stream",
	    stream_key)) != 0 &&
	    append(a, ENTRY_SIGNAL, "c", stream_key, json_pack("{s:s, s:s}",
	    "signal", signal_name(SIGNAL_CONTINUED), "stream",
	    stream_key)) != 0 &&
	    journal_consume_stream(a->store, a->submission, a->attempt));
}

int
stream_recover(struct agent *a, const struct transcript *t)
{
	struct journal	 j;
	char		*text;
	int		 held;

	journal_load(a->store, a->submission, &j);
	if (!is_open(&j, t))
		return (0);
	text = journal_stream_text(a->store, a->submission, j.stream_key);
	if (text == NULL)
		return (0);
	held = append_partial(a, j.stream_key, text);
	free(text);
	if (!held)
		log_warnx("%s: the partial answer could not be kept",
		    node_path(a->node));
	return (held);
}

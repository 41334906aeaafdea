#include <stdio.h>
#include <string.h>

#include "progress_impl.h"
#include "text.h"

/* Running nodes that are drawn at most; the rest is counted. */
#define NODES_DRAWN	12
/* Columns for the name of a node, and what stands beside it. */
#define ABOUT_MAX	44
#define ABOUT_LEAST	8
#define BESIDE		22

static void
line_head(const struct progress *p, int64_t now, struct line *line)
{
	char	span[32];

	if (p->ended != 0)
		now = p->ended;
	line->style = STYLE_BOLD;
	snprintf(line->text, sizeof(line->text), "run %s  %s  %s", p->run,
	    p->state, p->begun == 0 ? "" :
	    text_span(span, sizeof(span), now - p->begun));
}

static size_t
count_sum(const struct count *count)
{
	return (count->done + count->failed + count->cancelled);
}

static void
line_phase(const struct progress *p, size_t i, struct line *line)
{
	const struct phase	*phase = &p->phases[i];
	size_t			 n;

	line->style = i == p->current ? STYLE_PLAIN : STYLE_DIM;
	n = (size_t)snprintf(line->text, sizeof(line->text), "%s %.200s",
	    i == p->current ? ">" : " ", phase->title);
	if (phase->started == 0)
		return;
	n += (size_t)snprintf(line->text + n, sizeof(line->text) - n,
	    "  %zu of %zu", count_sum(&phase->count), phase->started);
	if (phase->count.failed > 0)
		snprintf(line->text + n, sizeof(line->text) - n,
		    ", %zu failed", phase->count.failed);
}

/* A node: its name in a column of width cols, its age, its last tool. */
static void
line_node(const struct node *node, int64_t now, size_t cols,
    struct line *line)
{
	char	about[256], span[32];

	snprintf(about, sizeof(about), "%s", node->about);
	text_cut(about, cols);
	line->style = STYLE_PLAIN;
	snprintf(line->text, sizeof(line->text), "    %s%*s  %7s%s%.64s", about,
	    (int)(cols - text_width(about)), "",
	    text_span(span, sizeof(span), now - node->since),
	    node->tool != NULL ? "  " : "",
	    node->tool != NULL ? node->tool : "");
}

static void
line_total(const struct progress *p, struct line *line)
{
	char	in[16], out[16];
	size_t	n, total = p->nrunning + count_sum(&p->count);

	line->style = STYLE_DIM;
	n = (size_t)snprintf(line->text, sizeof(line->text),
	    "%zu %s: %zu running, %zu done, %zu failed", total,
	    total == 1 ? "node" : "nodes", p->nrunning, p->count.done,
	    p->count.failed);
	if (p->count.cancelled > 0)
		n += (size_t)snprintf(line->text + n, sizeof(line->text) - n,
		    ", %zu cancelled", p->count.cancelled);
	if (p->tokens_in > 0 || p->tokens_out > 0)
		snprintf(line->text + n, sizeof(line->text) - n,
		    "; %s tokens in, %s out",
		    text_count(in, sizeof(in), p->tokens_in),
		    text_count(out, sizeof(out), p->tokens_out));
}

/* The last phases that fit into max lines. */
static size_t
lines_phases(const struct progress *p, struct line *lines, size_t max)
{
	size_t	i, n = 0;

	i = p->nphases > max ? p->nphases - max : 0;
	for (; i < p->nphases; i++)
		line_phase(p, i, &lines[n++]);
	return (n);
}

/* Columns for the names of the nodes shown: of the longest, if it fits. */
static size_t
about_width(const struct progress *p, size_t shown, size_t cols)
{
	const struct node	*node;
	size_t			 room, width, most = 0;

	room = cols < BESIDE + ABOUT_LEAST ? ABOUT_LEAST : cols - BESIDE;
	room = room < ABOUT_MAX ? room : ABOUT_MAX;
	node = TAILQ_FIRST(&p->list);
	for (; node != NULL && shown > 0; shown--) {
		if ((width = text_width(node->about)) > most)
			most = width;
		node = TAILQ_NEXT(node, list);
	}
	return (most < room ? most : room);
}

/* The nodes that run longest, and how many more there are. */
static size_t
lines_nodes(const struct progress *p, int64_t now, size_t cols,
    struct line *lines, size_t max)
{
	const struct node	*node;
	size_t			 n = 0, shown, width;

	if (max == 0)
		return (0);
	shown = max < NODES_DRAWN ? max : NODES_DRAWN;
	if (p->nrunning > shown)
		shown--;	/* the last line counts the rest */
	width = about_width(p, shown, cols);
	TAILQ_FOREACH(node, &p->list, list) {
		if (n == shown)
			break;
		line_node(node, now, width, &lines[n++]);
	}
	if (p->nrunning > n) {
		lines[n].style = STYLE_DIM;
		snprintf(lines[n].text, sizeof(lines[n].text),
		    "    and %zu more", p->nrunning - n);
		n++;
	}
	return (n);
}

size_t
progress_lines(const struct progress *p, int64_t now, size_t cols,
    struct line *lines, size_t max)
{
	size_t	n = 0;

	if (max == 0)
		return (0);
	line_head(p, now, &lines[n++]);
	if (max < 4)
		return (n);
	n += lines_phases(p, &lines[n], (max - 2 + 1) / 2);
	n += lines_nodes(p, now, cols, &lines[n], max - n - 1);
	line_total(p, &lines[n++]);
	return (n);
}

#include <sys/queue.h>

#include <bsd/sys/tree.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "failure.h"
#include "progress.h"
#include "text.h"

/* Running nodes that are drawn at most; the rest is counted. */
#define NODES_DRAWN	12
/* Phases that are kept apart; a script that makes more gets them in one. */
#define PHASES_MAX	256
/* Columns for the name of a node, and what stands beside it. */
#define ABOUT_MAX	44
#define ABOUT_LEAST	8
#define BESIDE		22

/* Nodes that have ended. */
struct count {
	size_t	 done, failed, cancelled;
};

struct phase {
	char		*title;		/* encoded */
	size_t		 started;
	struct count	 count;
};

/* A node that is running. */
struct node {
	RB_ENTRY(node)		 tree;
	TAILQ_ENTRY(node)	 list;
	char			*path;
	char			*about;		/* encoded */
	char			*tool;		/* encoded, or NULL */
	size_t			 phase;
	int64_t			 since;
};
RB_HEAD(node_tree, node);
TAILQ_HEAD(node_list, node);

struct progress {
	char			 run[40];
	char			 state[128];	/* encoded */
	int64_t			 begun;
	int64_t			 ended;		/* 0: not yet */
	struct phase		 phases[PHASES_MAX];
	size_t			 nphases;
	size_t			 current;	/* phase; nphases if none */
	struct node_tree	 tree;
	struct node_list	 list;
	size_t			 nrunning;
	struct count		 count;
	int64_t			 tokens_in, tokens_out;
};

static int
node_cmp(const struct node *a, const struct node *b)
{
	return (strcmp(a->path, b->path));
}

/* RB_GENERATE_STATIC() needs a macro that libbsd does not define. */
RB_GENERATE_INTERNAL(node_tree, node, tree, node_cmp,
    __attribute__((__unused__)) static)

static char *
dup(const char *s)
{
	char	*copy;

	if ((copy = strdup(s)) == NULL)
		oom();
	return (copy);
}

struct progress *
progress_new(const char *run)
{
	struct progress	*p;

	if ((p = calloc(1, sizeof(*p))) == NULL)
		oom();
	text_vis(p->run, sizeof(p->run), run, strlen(run));
	snprintf(p->state, sizeof(p->state), "submitted");
	RB_INIT(&p->tree);
	TAILQ_INIT(&p->list);
	p->current = PHASES_MAX;
	return (p);
}

static void
node_free(struct progress *p, struct node *node)
{
	RB_REMOVE(node_tree, &p->tree, node);
	TAILQ_REMOVE(&p->list, node, list);
	p->nrunning--;
	free(node->path);
	free(node->about);
	free(node->tool);
	free(node);
}

void
progress_free(struct progress *p)
{
	struct node	*node;
	size_t		 i;

	if (p == NULL)
		return;
	while ((node = TAILQ_FIRST(&p->list)) != NULL)
		node_free(p, node);
	for (i = 0; i < p->nphases; i++)
		free(p->phases[i].title);
	free(p);
}

static struct node *
node_find(struct progress *p, const char *path)
{
	struct node	key;

	key.path = (char *)(uintptr_t)path;
	return (RB_FIND(node_tree, &p->tree, &key));
}

/* The phase of this title, made if it is new. */
static size_t
phase_get(struct progress *p, const char *title)
{
	char	*vis;
	size_t	 i;

	vis = text_vis_dup(title, strlen(title));
	for (i = 0; i < p->nphases; i++)
		if (strcmp(p->phases[i].title, vis) == 0)
			break;
	if (i == p->nphases && i < PHASES_MAX) {
		p->phases[p->nphases++].title = vis;
		return (i);
	}
	free(vis);
	return (i < PHASES_MAX ? i : PHASES_MAX - 1);
}

static void
take_state(struct progress *p, const struct event *ev)
{
	static const char *const	ends[] = { "completed", "failed",
					    "completed_with_failures",
					    "cancelled" };
	const char			*state = event_str(ev, "state");
	char				*s;
	size_t				 i;

	p->ended = 0;
	for (i = 0; i < sizeof(ends) / sizeof(ends[0]); i++)
		if (strcmp(state, ends[i]) == 0)
			p->ended = ev->at;
	text_vis(p->state, sizeof(p->state), state, strlen(state));
	for (s = p->state; *s != '\0'; s++)
		if (*s == '_')
			*s = ' ';
}

static void
take_phase(struct progress *p, const struct event *ev)
{
	p->current = phase_get(p, event_str(ev, "title"));
}

/* What a node is called: its label, or else its place in the script. */
static char *
node_about(const struct event *ev)
{
	const char	*name = event_str(ev, "label");

	if (*name == '\0')
		name = event_str(ev, "node");
	return (text_vis_dup(name, strlen(name)));
}

static void
take_start(struct progress *p, const struct event *ev)
{
	struct node	*node;

	/* After a restart of the daemon a node may start once more. */
	if ((node = node_find(p, event_str(ev, "node"))) != NULL) {
		node->since = ev->at;
		return;
	}
	if ((node = calloc(1, sizeof(*node))) == NULL)
		oom();
	node->path = dup(event_str(ev, "node"));
	node->about = node_about(ev);
	node->since = ev->at;
	node->phase = p->current;
	if (*event_str(ev, "phase") != '\0')
		node->phase = phase_get(p, event_str(ev, "phase"));
	if (node->phase < p->nphases)
		p->phases[node->phase].started++;
	(void)RB_INSERT(node_tree, &p->tree, node);	/* it was not there */
	TAILQ_INSERT_TAIL(&p->list, node, list);
	p->nrunning++;
}

/* How a node ended, counted. */
static void
count_end(struct count *count, const struct event *ev)
{
	if (event_true(ev, "ok"))
		count->done++;
	else if (event_cancelled(ev))
		count->cancelled++;
	else
		count->failed++;
}

static void
take_end(struct progress *p, const struct event *ev)
{
	struct node	*node;

	count_end(&p->count, ev);
	p->tokens_in += event_int(ev, "tokens_in");
	p->tokens_out += event_int(ev, "tokens_out");
	if ((node = node_find(p, event_str(ev, "node"))) == NULL)
		return;
	if (node->phase < p->nphases)
		count_end(&p->phases[node->phase].count, ev);
	node_free(p, node);
}

static void
take_tool(struct progress *p, const struct event *ev)
{
	struct node	*node;

	if ((node = node_find(p, event_str(ev, "node"))) == NULL)
		return;
	free(node->tool);
	node->tool = text_vis_dup(event_str(ev, "tool"),
	    strlen(event_str(ev, "tool")));
}

static const struct {
	const char	*kind;
	void		(*take)(struct progress *, const struct event *);
} kinds[] = {
	{ "state",	take_state },
	{ "phase",	take_phase },
	{ "node.start",	take_start },
	{ "node.end",	take_end },
	{ "tool",	take_tool },
};

void
progress_event(struct progress *p, const struct event *ev)
{
	size_t	i;

	if (p->begun == 0)
		p->begun = ev->at;
	for (i = 0; i < sizeof(kinds) / sizeof(kinds[0]); i++)
		if (strcmp(kinds[i].kind, ev->kind) == 0)
			kinds[i].take(p, ev);
}

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
	TAILQ_FOREACH(node, &p->list, list) {
		if (shown-- == 0)
			break;
		if ((width = text_width(node->about)) > most)
			most = width;
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

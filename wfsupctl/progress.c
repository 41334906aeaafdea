#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "failure.h"
#include "progress_impl.h"
#include "text.h"

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

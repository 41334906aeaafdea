/*
 * How the events of a run are shown: as lines, as JSON, or drawn live.
 */
#ifndef VIEW_H
#define VIEW_H

#include <stdio.h>

#include "event.h"

enum view_kind {
	VIEW_NONE,	/* only what we say ourselves */
	VIEW_LINES,	/* a line an event */
	VIEW_JSON,	/* an object an event */
	VIEW_SCREEN,	/* redrawn in place on a terminal */
};

struct view;

/* out is where events go; run is shown in the drawing. Both are kept. */
struct view	*view_new(enum view_kind, FILE *out, const char *run);
/* Takes what is drawn off the screen. */
void		 view_free(struct view *);

void		 view_event(struct view *, const struct event *);
/* Words of our own, on standard error. */
void		 view_notice(struct view *, const char *fmt, ...)
		    __attribute__((format(printf, 2, 3)));

/* Milliseconds until view_tick() has something to do, -1 for never. */
int		 view_wait(const struct view *);
void		 view_tick(struct view *);
/* The terminal changed its size. */
void		 view_resize(struct view *);
/* The terminal was somebody else's for a while. */
void		 view_return(struct view *);
/* Leave the terminal to a question, until the next view_tick(). */
void		 view_hide(struct view *);

#endif

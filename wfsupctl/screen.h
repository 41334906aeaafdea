/*
 * A few lines at the bottom of a terminal that are drawn again in place,
 * and lines that scroll away above them.
 */
#ifndef SCREEN_H
#define SCREEN_H

#include <stddef.h>

enum style { STYLE_PLAIN, STYLE_BOLD, STYLE_DIM, STYLE_GOOD, STYLE_BAD };

#define LINE_SIZE	512

struct line {
	enum style	 style;
	char		 text[LINE_SIZE];	/* encoded */
};

struct screen;

/* Is fd a terminal that can do this, and does nobody forbid it? */
int		 screen_usable(int fd);

struct screen	*screen_new(int fd);
/* Takes the drawn lines away. */
void		 screen_free(struct screen *);

/* Read the terminal's size again. */
void		 screen_resize(struct screen *);
size_t		 screen_rows(const struct screen *);
size_t		 screen_cols(const struct screen *);

/* Replace the drawn lines by these n; they are cut to the width. */
void		 screen_draw(struct screen *, const struct line *, size_t n);
/* Print encoded text of any number of lines above the drawn ones: with the
 * next screen_draw(), so that the picture does not flicker. */
void		 screen_print(struct screen *, enum style, const char *text);
/* Take the drawn lines away. */
void		 screen_clear(struct screen *);
/* The cursor was moved by others: draw from where it is. */
void		 screen_forget(struct screen *);

#endif

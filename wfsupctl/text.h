/*
 * Text as a terminal gets it: hostile bytes encoded, cut to columns, numbers
 * and times in a form for people.
 */
#ifndef TEXT_H
#define TEXT_H

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

/*
 * Encode n bytes as log_vis() does, but leave quotes and backslashes as they
 * are: what remains can't move a cursor or forge a line. Returns dst.
 */
char	*text_vis(char *dst, size_t dstlen, const char *src, size_t n);
/* The same in memory of its own and never cut; the caller frees. */
char	*text_vis_dup(const char *src, size_t n);

/* Write text encoded line by line: its newlines and tabs stay, and every line
 * but the first begins with indent. A last newline is left out. */
void	 text_put(FILE *, const char *text, const char *indent);
/* Write its first line, and " ..." if there are more. */
void	 text_put_first(FILE *, const char *text);

/* Columns that encoded text takes. */
size_t	 text_width(const char *);
/* Cut encoded text in place so that it takes at most cols columns. */
void	 text_cut(char *, size_t cols);

/* "18 ms", "0.8 s", "12 s", "3:05", "1:02:03". */
const char	*text_span(char *dst, size_t dstlen, int64_t ms);
/* "45 s", "3 min", "5 h", "12 d". */
const char	*text_age(char *dst, size_t dstlen, int64_t ms);
/* "950", "12.3k", "4.1M". */
const char	*text_count(char *dst, size_t dstlen, int64_t n);
/* The local time of day of a moment in ms since 1970: "12:01:02". */
const char	*text_clock(char *dst, size_t dstlen, int64_t at);
/* The same with its date: "2026-03-01 12:01:02". */
const char	*text_date(char *dst, size_t dstlen, int64_t at);

#endif

/*
 * JSON on standard output. Always valid JSON and always harmless on a
 * terminal: controls and invisible characters are \u escapes.
 */
#ifndef JSON_OUT_H
#define JSON_OUT_H

#include <jansson.h>
#include <stdio.h>

/* Indented, for people; numbers as short as they can be. No newline after. */
void	 json_out_pretty(FILE *, const json_t *);
/* One line with its newline. */
void	 json_out_line(FILE *, const json_t *);
/*
 * One line from JSON text that was parsed without error: the numbers stay as
 * they were written.
 */
void	 json_out_text(FILE *, const char *text);

#endif

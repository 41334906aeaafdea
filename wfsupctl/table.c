#include <stdlib.h>
#include <string.h>

#include "failure.h"
#include "table.h"
#include "text.h"

struct table {
	const char *const	*titles;
	size_t			 ncols;
	char			**cells;
	size_t			 ncells;
};

struct table *
table_new(const char *const *titles)
{
	struct table	*t;

	if ((t = calloc(1, sizeof(*t))) == NULL)
		oom();
	t->titles = titles;
	while (titles[t->ncols] != NULL)
		t->ncols++;
	return (t);
}

void
table_free(struct table *t)
{
	size_t	i;

	for (i = 0; i < t->ncells; i++)
		free(t->cells[i]);
	free(t->cells);
	free(t);
}

void
table_add(struct table *t, const char *text)
{
	char	**cells;

	cells = reallocarray(t->cells, t->ncells + 1, sizeof(*cells));
	if (cells == NULL)
		oom();
	t->cells = cells;
	t->cells[t->ncells++] = text_vis_dup(text, strlen(text));
}

static const char *
table_title(const struct table *t, size_t col)
{
	return (t->titles[col][0] == '>' ? t->titles[col] + 1 :
	    t->titles[col]);
}

static void
table_widths(const struct table *t, size_t *widths)
{
	size_t	i, width;

	for (i = 0; i < t->ncols; i++)
		widths[i] = text_width(table_title(t, i));
	for (i = 0; i < t->ncells; i++)
		if ((width = text_width(t->cells[i])) > widths[i % t->ncols])
			widths[i % t->ncols] = width;
}

/* One line, made first, so that it can be cut as a whole. */
static void
table_row(const struct table *t, FILE *out, const char *const *cells,
    const size_t *widths, size_t cols)
{
	FILE	*mem;
	char	*line;
	size_t	 i, len, pad;

	if ((mem = open_memstream(&line, &len)) == NULL)
		oom();
	for (i = 0; i < t->ncols; i++) {
		pad = widths[i] - text_width(cells[i]);
		if (t->titles[i][0] == '>')
			fprintf(mem, "%*s%s", (int)pad, "", cells[i]);
		else if (i + 1 < t->ncols)
			fprintf(mem, "%s%*s", cells[i], (int)pad, "");
		else
			fputs(cells[i], mem);
		if (i + 1 < t->ncols)
			fputs("  ", mem);
	}
	if (fclose(mem) == EOF)
		oom();
	if (cols > 0)
		text_cut(line, cols);
	fprintf(out, "%s\n", line);
	free(line);
}

void
table_print(const struct table *t, FILE *out, size_t cols)
{
	const char	*titles[TABLE_COLUMNS];
	size_t		 i, widths[TABLE_COLUMNS];

	table_widths(t, widths);
	for (i = 0; i < t->ncols; i++)
		titles[i] = table_title(t, i);
	table_row(t, out, titles, widths, cols);
	for (i = 0; i + t->ncols <= t->ncells; i += t->ncols)
		table_row(t, out, (const char *const *)&t->cells[i], widths,
		    cols);
}

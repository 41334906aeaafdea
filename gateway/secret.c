/*
 * Keys: read once, wiped when they are done with.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "readall.h"
#include "secret.h"

/* So many bytes tell a key from other text. */
#define SCRUB_BEGIN	8

void
secret_wipe(struct secret *s)
{
	if (s->text != NULL)
		explicit_bzero(s->text, s->len);
	free(s->text);
	s->text = NULL;
	s->len = 0;
}

void
secret_move(struct secret *to, struct secret *from)
{
	secret_wipe(to);
	*to = *from;
	from->text = NULL;
	from->len = 0;
}

int
secret_copy(struct secret *to, const struct secret *from)
{
	to->text = NULL;
	to->len = 0;
	if (from->text == NULL)
		return (0);
	if ((to->text = strdup(from->text)) == NULL)
		return (-1);
	to->len = from->len;
	return (0);
}

void
secret_scrub(const struct secret *s, char *text)
{
	char	begin[SCRUB_BEGIN + 1], *at;

	if (s->text == NULL)
		return;
	(void)snprintf(begin, sizeof(begin), "%s", s->text);
	for (at = text; (at = strstr(at, begin)) != NULL;)
		for (; *at > ' ' && *at <= '~' && *at != '"'; at++)
			*at = '*';
	explicit_bzero(begin, sizeof(begin));
}

/* Only what a header can carry: printable ASCII without blanks. */
static int
is_header_text(const char *s, size_t n)
{
	size_t	i;

	for (i = 0; i < n; i++)
		if (s[i] <= ' ' || s[i] > '~')
			return (0);
	return (1);
}

int
secret_read(struct secret *s, int fd, char *why, size_t whylen)
{
	struct secret	read;

	if (readall(fd, SECRET_MAX, &read.text, &read.len) == -1) {
		(void)snprintf(why, whylen, errno == EFBIG ?
		    "longer than %d bytes" : "can't be read", SECRET_MAX);
		return (-1);
	}
	while (read.len > 0 && (read.text[read.len - 1] == '\n' ||
	    read.text[read.len - 1] == '\r'))
		read.text[--read.len] = '\0';
	if (read.len > 0 && is_header_text(read.text, read.len)) {
		secret_move(s, &read);
		return (0);
	}
	(void)snprintf(why, whylen, read.len == 0 ? "empty" :
	    "not a key: blanks or other bytes that no header can carry");
	secret_wipe(&read);
	return (-1);
}

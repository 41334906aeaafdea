/*
 * Hostile text made fit for one line: of a log, an audit record, a terminal.
 * Not vis(3), which does not know UTF-8's own traps.
 */
#include <stdio.h>
#include <string.h>

#include "log.h"
#include "utf8.h"

/* Encode one character, or one bad byte, into out. Returns bytes taken. */
static size_t
encode_one(const char *s, size_t n, char *out, size_t outlen)
{
	uint32_t	c;
	size_t		len;

	len = utf8_decode(s, n, &c);
	if (c == UTF8_BAD || c < 0x20 || c == 0x7f) {
		(void)snprintf(out, outlen, "\\x%02x", (unsigned char)s[0]);
		return (1);
	}
	if (c == '"' || c == '\\')
		(void)snprintf(out, outlen, "\\%c", (char)c);
	else if (utf8_is_trap(c))
		(void)snprintf(out, outlen, "\\u{%x}", c);
	else
		(void)snprintf(out, outlen, "%.*s", (int)len, s);
	return (len);
}

char *
log_vis(char *dst, size_t dstlen, const char *src, size_t n)
{
	static const char	more[] = "...";
	char			one[16];
	size_t			i, used = 0, safe = 0, len;

	if (dstlen == 0)
		return (dst);
	for (i = 0; i < n; i += len) {
		len = encode_one(src + i, n - i, one, sizeof(one));
		if (used + strlen(one) >= dstlen)
			break;
		memcpy(dst + used, one, strlen(one));
		used += strlen(one);
		if (used + sizeof(more) <= dstlen)
			safe = used;
	}
	if (i < n && dstlen >= sizeof(more)) {
		memcpy(dst + safe, more, sizeof(more) - 1);
		used = safe + sizeof(more) - 1;
	}
	dst[used] = '\0';
	return (dst);
}

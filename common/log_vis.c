/*
 * Hostile text made fit for one line: of a log, an audit record, a terminal.
 * Not vis(3), which does not know UTF-8's own traps.
 */
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include "log.h"

/* Decode one character of at most n bytes. Returns its length, 0 if bad. */
static size_t
utf8_decode(const unsigned char *s, size_t n, uint32_t *c)
{
	static const uint32_t	least[] = { 0, 0, 0x80, 0x800, 0x10000 };
	size_t			i, len;

	len = s[0] < 0x80 ? 1 : s[0] < 0xc2 ? 0 : s[0] < 0xe0 ? 2 :
	    s[0] < 0xf0 ? 3 : s[0] < 0xf5 ? 4 : 0;
	if (len == 0 || len > n)
		return (0);
	*c = len == 1 ? s[0] : s[0] & (0x7fu >> len);
	for (i = 1; i < len; i++) {
		if ((s[i] & 0xc0) != 0x80)
			return (0);
		*c = *c << 6 | (s[i] & 0x3fu);
	}
	if (*c < least[len] || *c > 0x10ffff || (*c >= 0xd800 && *c < 0xe000))
		return (0);
	return (len);
}

/* Invisible, line-breaking or direction-changing characters. */
static int
is_trap(uint32_t c)
{
	return ((c >= 0x80 && c < 0xa0) || c == 0xad || c == 0x61c ||
	    (c >= 0x200b && c <= 0x200f) || (c >= 0x2028 && c <= 0x202e) ||
	    (c >= 0x2060 && c <= 0x206f) || c == 0xfeff ||
	    (c >= 0xfff9 && c <= 0xfffb) || c >= 0xe0000);
}

/* Encode one character, or one bad byte, into out. Returns bytes taken. */
static size_t
encode_one(const unsigned char *s, size_t n, char *out, size_t outlen)
{
	uint32_t	c;
	size_t		len;

	if ((len = utf8_decode(s, n, &c)) == 0 || c < 0x20 || c == 0x7f) {
		(void)snprintf(out, outlen, "\\x%02x", s[0]);
		return (1);
	}
	if (c == '"' || c == '\\')
		(void)snprintf(out, outlen, "\\%c", (char)c);
	else if (is_trap(c))
		(void)snprintf(out, outlen, "\\u{%x}", c);
	else
		(void)snprintf(out, outlen, "%.*s", (int)len, (const char *)s);
	return (len);
}

char *
log_vis(char *dst, size_t dstlen, const char *src, size_t n)
{
	static const char	 more[] = "...";
	const unsigned char	*s = (const unsigned char *)src;
	char			 one[16];
	size_t			 i, used = 0, safe = 0, len;

	if (dstlen == 0)
		return (dst);
	for (i = 0; i < n; i += len) {
		len = encode_one(s + i, n - i, one, sizeof(one));
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

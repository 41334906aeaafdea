/*
 * UTF-8, decoded as the Unicode standard's table of well-formed bytes says.
 */
#include "utf8.h"

/* Lead bytes, and what may follow them first: this rules out overlong
 * forms, surrogates and what is above U+10FFFF. */
static const struct {
	unsigned char	first, last;	/* lead bytes */
	unsigned char	low, high;	/* the second byte */
	unsigned char	more;		/* bytes after the lead */
} forms[] = {
	{ 0xc2, 0xdf, 0x80, 0xbf, 1 },
	{ 0xe0, 0xe0, 0xa0, 0xbf, 2 },
	{ 0xe1, 0xec, 0x80, 0xbf, 2 },
	{ 0xed, 0xed, 0x80, 0x9f, 2 },
	{ 0xee, 0xef, 0x80, 0xbf, 2 },
	{ 0xf0, 0xf0, 0x90, 0xbf, 3 },
	{ 0xf1, 0xf3, 0x80, 0xbf, 3 },
	{ 0xf4, 0xf4, 0x80, 0x8f, 3 },
};

#define NFORMS	(sizeof(forms) / sizeof(forms[0]))

size_t
utf8_decode(const char *text, size_t n, uint32_t *c)
{
	const unsigned char	*s = (const unsigned char *)text;
	uint32_t		 sum;
	size_t			 f, i;

	*c = s[0];
	if (s[0] < 0x80)
		return (1);
	*c = UTF8_BAD;
	for (f = 0; f < NFORMS; f++)
		if (s[0] >= forms[f].first && s[0] <= forms[f].last)
			break;
	if (f == NFORMS)
		return (1);
	sum = s[0] & (0x3fu >> forms[f].more);
	for (i = 1; i <= forms[f].more; i++) {
		if (i >= n || s[i] < (i == 1 ? forms[f].low : 0x80) ||
		    s[i] > (i == 1 ? forms[f].high : 0xbf))
			return (i);
		sum = sum << 6 | (s[i] & 0x3fu);
	}
	*c = sum;
	return (i);
}

int
utf8_is_trap(uint32_t c)
{
	return ((c >= 0x80 && c < 0xa0) || c == 0xad || c == 0x61c ||
	    (c >= 0x200b && c <= 0x200f) || (c >= 0x2028 && c <= 0x202e) ||
	    (c >= 0x2060 && c <= 0x206f) || c == 0xfeff ||
	    (c >= 0xfff9 && c <= 0xfffb) || c >= 0xe0000);
}

/* ROOM: common
 * The reader of JSON beside jansson's: what it takes must be what jansson
 * takes, with the same value. Input: the text.
 */
#include <stdint.h>
#include <stdlib.h>

#include "json.h"
#include "load.h"

int	LLVMFuzzerTestOneInput(const uint8_t *, size_t);

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	const char	*text = (const char *)data;
	json_t		*v = load_json(text, size, JSON_BODY_DEPTH), *want;

	if (v == NULL)
		return (0);
	want = json_loadb(text, size, JSON_REJECT_DUPLICATES |
	    JSON_DECODE_ANY, NULL);
	if (want == NULL || !json_equal(v, want) ||
	    json_text_depth(text, size) > JSON_BODY_DEPTH)
		abort();
	json_decref(v);
	json_decref(want);
	return (0);
}

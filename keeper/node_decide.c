/*
 * The rules of repetition. A recorded outcome is never made again; a body
 * whose outcome is not recorded runs again only if that is harmless.
 */
#include <string.h>

#include "log.h"
#include "node_decide.h"

enum node_kind
node_kind(const char *name)
{
	if (strcmp(name, "agent") == 0)
		return (KIND_AGENT);
	if (strcmp(name, "tool") == 0)
		return (KIND_TOOL);
	if (strcmp(name, "sleep") == 0)
		return (KIND_SLEEP);
	return (KIND_UNKNOWN);
}

/*
 * A cancelled node that is asked for again: in a faithful replay the script
 * is about to cancel it once more, so what we answer is never seen; but if
 * the script does wait this time, a write must not happen twice.
 */
enum ask_verdict
ask_decide(enum node_state state, int same_digest, int repeatable)
{
	if (state != NODE_NONE && !same_digest)
		return (ASK_DIFFERS);
	switch (state) {
	case NODE_NONE:
		return (ASK_START);
	case NODE_RUNNING:
		return (ASK_ATTACH);
	case NODE_SETTLED:
		return (ASK_RECORDED);
	case NODE_CANCELLED:
		return (repeatable ? ASK_RESTART : ASK_LOST);
	}
	fatalx("ask_decide: state %d", state);
}

enum recover_verdict
recover_decide(enum node_kind kind, int repeatable)
{
	switch (kind) {
	case KIND_AGENT:
		return (RECOVER_AGENT);
	case KIND_SLEEP:
		return (RECOVER_TIMER);
	case KIND_TOOL:
		return (repeatable ? RECOVER_WAIT : RECOVER_LOST);
	case KIND_UNKNOWN:
		return (RECOVER_LOST);
	}
	fatalx("recover_decide: kind %d", kind);
}

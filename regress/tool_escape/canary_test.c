/*
 * The canary of tool jails (see ../escape/fake_canary.c).
 */
#include "tool/tool.h"
#include "ways.h"

int
main(void)
{
	return (canary_main(&tool_ops, "wfsup-tool", "tool_escape", 0));
}

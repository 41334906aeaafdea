/*
 * The attempts in tool jails, a layer at a time (see ../escape/fake_ways.c).
 */
#include "tool/tool.h"
#include "ways.h"

int
main(int argc, char **argv)
{
	return (ways_main(&tool_ops, argc, argv));
}

/*
 * The attempts in script jails, a layer at a time (see fake_ways.c).
 */
#include "script/script.h"
#include "ways.h"

int
main(int argc, char **argv)
{
	return (ways_main(&script_ops, argc, argv));
}

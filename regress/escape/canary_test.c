/*
 * The canary of script jails (see fake_canary.c).
 */
#include "script/script.h"
#include "ways.h"

int
main(void)
{
	return (canary_main(&script_ops, "wfsup-script", "escape", 1));
}

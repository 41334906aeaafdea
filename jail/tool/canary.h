/*
 * The canary of tool jails.
 */
#ifndef TOOL_CANARY_H
#define TOOL_CANARY_H

#include "../canary.h"

/* In the init: have the attempts made where a command would be. Returns the
 * exit status. */
int	 tool_canary(struct canary *);

#endif

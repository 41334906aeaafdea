/*
 * The command tool.
 */
#ifndef BASH_H
#define BASH_H

#include "serve.h"

/*
 * {"command": TEXT for a shell, or a list that is an argv, "cwd": path,
 * "timeout": seconds} -> {"exit", "stdout", "stderr"}. Not zero is a result,
 * not an error; 124 is its own timeout. What limits did is the end of stderr,
 * and "cause" if the command died of one.
 */
json_t	*tool_bash(struct call *);

#endif

/*
 * How a tool jail is made.
 */
#ifndef TOOL_H
#define TOOL_H

#include "../starter.h"

extern const struct starter_ops	tool_ops;

#endif

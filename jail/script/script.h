/*
 * How a script jail is made.
 */
#ifndef SCRIPT_H
#define SCRIPT_H

#include "../starter.h"

extern const struct starter_ops	script_ops;

#endif

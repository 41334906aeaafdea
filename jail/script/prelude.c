/*
 * The modules of the prelude, as the build embedded them, each after those
 * that it imports.
 */
#include <stddef.h>

#include "python.h"

static const unsigned char	messages[] = {
#include "messages_py.inc"
	0
};
static const unsigned char	wf_border[] = {
#include "_wf_border.inc"
	0
};
static const unsigned char	wf_errors[] = {
#include "_wf_errors.inc"
	0
};
static const unsigned char	wf_paths[] = {
#include "_wf_paths.inc"
	0
};
static const unsigned char	wf_clock[] = {
#include "_wf_clock.inc"
	0
};
static const unsigned char	wf_graft[] = {
#include "_wf_graft.inc"
	0
};
static const unsigned char	wf_report[] = {
#include "_wf_report.inc"
	0
};
static const unsigned char	wf_modules[] = {
#include "_wf_modules.inc"
	0
};
static const unsigned char	wf_loop[] = {
#include "_wf_loop.inc"
	0
};
static const unsigned char	wf_nodes[] = {
#include "_wf_nodes.inc"
	0
};
static const unsigned char	wf_fan[] = {
#include "_wf_fan.inc"
	0
};
static const unsigned char	wf_api[] = {
#include "_wf_api.inc"
	0
};
static const unsigned char	wf_timeouts[] = {
#include "_wf_timeouts.inc"
	0
};
static const unsigned char	wf_names[] = {
#include "_wf_names.inc"
	0
};
static const unsigned char	wf_awaits[] = {
#include "_wf_awaits.inc"
	0
};
static const unsigned char	wf_hints[] = {
#include "_wf_hints.inc"
	0
};
static const unsigned char	wf_main[] = {
#include "_wf_main.inc"
	0
};

const struct prelude	prelude[] = {
	{ "messages",		messages },
	{ "_wf_border",		wf_border },
	{ "_wf_errors",		wf_errors },
	{ "_wf_paths",		wf_paths },
	{ "_wf_clock",		wf_clock },
	{ "_wf_graft",		wf_graft },
	{ "_wf_report",		wf_report },
	{ "_wf_modules",	wf_modules },
	{ "_wf_loop",		wf_loop },
	{ "_wf_nodes",		wf_nodes },
	{ "_wf_fan",		wf_fan },
	{ "_wf_api",		wf_api },
	{ "_wf_timeouts",	wf_timeouts },
	{ "_wf_names",		wf_names },
	{ "_wf_awaits",		wf_awaits },
	{ "_wf_hints",		wf_hints },
	{ "_wf_main",		wf_main },
	{ NULL,			NULL }
};

/*
 * The modules of the prelude, as the build compiled and embedded them, each after those
 * that it imports.
 */
#include <stddef.h>

#include "python.h"

static const unsigned char	messages[] = {
#include "messages_py.inc"
};
static const unsigned char	wf_border[] = {
#include "_wf_border.inc"
};
static const unsigned char	wf_errors[] = {
#include "_wf_errors.inc"
};
static const unsigned char	wf_paths[] = {
#include "_wf_paths.inc"
};
static const unsigned char	wf_clock[] = {
#include "_wf_clock.inc"
};
static const unsigned char	wf_graft[] = {
#include "_wf_graft.inc"
};
static const unsigned char	wf_report[] = {
#include "_wf_report.inc"
};
static const unsigned char	wf_modules[] = {
#include "_wf_modules.inc"
};
static const unsigned char	wf_loop[] = {
#include "_wf_loop.inc"
};
static const unsigned char	wf_nodes[] = {
#include "_wf_nodes.inc"
};
static const unsigned char	wf_fan[] = {
#include "_wf_fan.inc"
};
static const unsigned char	wf_api[] = {
#include "_wf_api.inc"
};
static const unsigned char	wf_timeouts[] = {
#include "_wf_timeouts.inc"
};
static const unsigned char	wf_names[] = {
#include "_wf_names.inc"
};
static const unsigned char	wf_awaits[] = {
#include "_wf_awaits.inc"
};
static const unsigned char	wf_hints[] = {
#include "_wf_hints.inc"
};
static const unsigned char	wf_main[] = {
#include "_wf_main.inc"
};

#define MODULE(name, code)	{ name, code, sizeof(code) }

const struct prelude	prelude[] = {
	MODULE("messages",	messages),
	MODULE("_wf_border",	wf_border),
	MODULE("_wf_errors",	wf_errors),
	MODULE("_wf_paths",	wf_paths),
	MODULE("_wf_clock",	wf_clock),
	MODULE("_wf_graft",	wf_graft),
	MODULE("_wf_report",	wf_report),
	MODULE("_wf_modules",	wf_modules),
	MODULE("_wf_loop",	wf_loop),
	MODULE("_wf_nodes",	wf_nodes),
	MODULE("_wf_fan",	wf_fan),
	MODULE("_wf_api",	wf_api),
	MODULE("_wf_timeouts",	wf_timeouts),
	MODULE("_wf_names",	wf_names),
	MODULE("_wf_awaits",	wf_awaits),
	MODULE("_wf_hints",	wf_hints),
	MODULE("_wf_main",	wf_main),
	{ NULL,			NULL, 0 }
};

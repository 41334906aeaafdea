/*
 * The starter of tool jails, and the jail itself, which serves one sandbox.
 *
 * The starter:
 * User		root of a user namespace of its own, nobody outside of it
 * Capabilities	CHOWN DAC_OVERRIDE SETUID SETGID SETPCAP SYS_ADMIN, all in
 *		that namespace
 * Files	/usr of the host, read-only, and a skeleton around it
 * Network	none
 * Syscalls	all but starter_syscalls in tool/syscalls.c
 * Peers	warden
 * Secrets	none
 *
 * A jail:
 * User		a uid of its own, no supplementary groups
 * Capabilities	none, bounding set empty
 * Files	the same, /tmp, and /workspace: an overlay on the run's
 * Network	none
 * Syscalls	all but tool_syscalls and tool_arguments in tool/syscalls.c
 * Peers	broker
 * Secrets	none
 */
#include "../starter.h"
#include "tool.h"

int
main(int argc, char **argv)
{
	starter_main(&tool_ops, argc, argv);
}

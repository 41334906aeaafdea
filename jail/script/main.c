/*
 * The starter of script jails, and the jail itself: a fork of this process
 * with an interpreter that is already running.
 *
 * The starter:
 * User		root of a user namespace of its own, nobody outside of it
 * Capabilities	SETUID SETGID SETPCAP SYS_ADMIN, all in that namespace
 * Files	none: the root is an empty directory
 * Network	none
 * Syscalls	starter_syscalls in script/syscalls.c
 * Peers	warden
 * Secrets	none
 *
 * A jail:
 * User		a uid of its own, no supplementary groups
 * Capabilities	none, bounding set empty
 * Files	none: the root is an empty directory
 * Network	none
 * Syscalls	script_syscalls in script/syscalls.c
 * Peers	broker
 * Secrets	none
 */
#include "../starter.h"
#include "script.h"

int
main(int argc, char **argv)
{
	starter_main(&script_ops, argc, argv);
}

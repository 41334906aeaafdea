/*
 * The broker: says who may ask for what.
 *
 * User		_wfbroker, no supplementary groups
 * Capabilities	none, bounding set empty
 * Files	none: the root is an empty directory
 * Network	none
 * Syscalls	broker_syscalls in confine.c
 * Peers	supervisor, warden, keeper, gateway, jails, wfsupctl
 * Secrets	none
 */
#include <stdlib.h>

#include "broker.h"
#include "room.h"
#include "syscalls.h"

int
main(int argc, char **argv)
{
	struct confine	 cf = { .syscalls = broker_syscalls };
	struct broker	*broker;
	struct room	 room;

	broker = broker_new();
	room_init(&room, BROKER, "broker", argc, argv, &cf, broker_handlers,
	    broker);
	broker_begin(broker, room.base, room.supervisor);
	room_loop(&room);
}

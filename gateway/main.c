/*
 * The gateway: speaks to model providers.
 *
 * User		_wfgate, no supplementary groups
 * Capabilities	none, bounding set empty
 * Files	those of the host that names and certificates need, read-only
 * Network	outbound, the host's
 * Syscalls	gateway_syscalls in confine.c
 * Peers	supervisor, broker
 * Secrets	the providers' keys
 */
#include "gateway.h"
#include "log.h"

int
main(int argc, char **argv)
{
	struct gateway	gw = { .providers = NULL };
	struct confine	cf = {
		.network	= 1,
		.files		= 1,
		.syscalls	= gateway_syscalls,
	};

	http_load();
	calls_init(&gw.calls);
	peer_check_handlers(GATEWAY, BROKER, broker_handlers);
	room_init(&gw.room, GATEWAY, "gateway", argc, argv, &cf,
	    supervisor_handlers, &gw);
	if ((gw.http = http_new(gw.room.base)) == NULL)
		fatalx("http_new: out of memory");
	room_loop(&gw.room);
}

/*
 * Rooms for the tests of the supervisor: each does what its supervisor sees
 * of a real one. The broker passes messages on between the supervisor and
 * the test, which connects to the control socket and speaks bare imsg.
 */
#ifndef FAKE_ROOM_H
#define FAKE_ROOM_H

/* What a lying script starter does with a jail of so many files. */
enum lie {
	LIE_UNCONFINED = 100,	/* its process has given up nothing */
	LIE_NO_PROCESS,		/* it is confined, but was never spawned */
	LIE_NO_PIDFD,		/* its pidfd is none */
	LIE_ITSELF,		/* its process is the starter */
	LIE_OTHER,		/* it is somebody else's jail */
	LIE_REAPED,		/* it is dead, but lives */
	LIE_GONE,		/* its process is dead and reaped */
	/* And a lying warden, with a limit of so many spares. */
	LIE_READY_TWICE = 10,
	LIE_HELLO_TWICE,
	LIE_WANT_ROOM,		/* one that is no starter */
	LIE_WANT_BROKER,
	LIE_KILL_LAUNCHER,
	LIE_KILL_KEEPER,
	LIE_KILL_NOBODY,
};

/* If this process was started under the name of a room, be it. */
void	 fake_room(int argc, char **argv);
void	 fake_warden(void) __attribute__((noreturn));

#endif

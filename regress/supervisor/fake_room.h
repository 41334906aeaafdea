/*
 * Rooms for the tests of the supervisor: each does what its supervisor sees
 * of a real one. The broker passes messages on between the supervisor and
 * the test, which connects to the control socket and speaks bare imsg.
 */
#ifndef FAKE_ROOM_H
#define FAKE_ROOM_H

/* If this process was started under the name of a room, be it. */
void	 fake_room(int argc, char **argv);

#endif

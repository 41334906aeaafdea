/*
 * Room on the disk that the workspace's changes go to. The daemon's journal
 * is on it too: a sandbox that takes all of it would stop every run there
 * is. So a share of it is nobody's, as far as sandboxes go.
 */
#ifndef ROOM_ON_DISK_H
#define ROOM_ON_DISK_H

/* In the process of a call, before its tool: no file may become longer than
 * there is room for. Without any, files can still be removed. */
int	 room_limit(void) __attribute__((warn_unused_result));
/* In the server, while calls run: how many milliseconds it can be until they
 * have gone beyond what the limit can hold, with many files, and taken half
 * of the share; 0 if they have. */
int	 room_left_ms(void);

#endif

/*
 * The test as the client of the fake broker: what it says reaches the
 * supervisor as the broker's word, and what the broker hears it is told.
 */
#ifndef FAKE_CLIENT_H
#define FAKE_CLIENT_H

#include <stdint.h>

#include "msg.h"

/* The last message that expect() found. Whoever wants fd takes it: -1. */
struct heard {
	json_t		*env;
	int		 fd;
	uint32_t	 id;
};
extern struct heard	 got;

int		 broker_connect(void);
void		 broker_close(void);

/* Takes the reference to env; fd stays open, -1: none. */
void		 say(uint32_t type, uint32_t id, int fd, json_t *env);
/* Take messages until one of this type. Returns 0, or -1 if none comes. */
int		 expect(uint32_t type);

/* Ask for a jail. sandbox 0: none; more: JSON, fields that differ. */
void		 ask_jail(uint32_t id, const char *kind, int sandbox, int fd,
		    const char *more);
/* Start one and take its end. Returns its number, or -1. */
int64_t		 start_jail(const char *kind, int sandbox, int fd,
		    const char *more, int *end);
void		 kill_jail(int64_t jail, const char *cause);
/* Wait for a death; was it this jail's, of this cause? Else say what came. */
int		 exited(int64_t jail, const char *cause, int ours);

/* Rows about the host, until one of this name; is it well? -1: none came. */
int	 row_ok(const char *name);

#endif

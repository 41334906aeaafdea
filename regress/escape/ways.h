/*
 * The attempts of the canaries, several ways, and the canaries themselves:
 * what the tests of both kinds of jail share.
 */
#ifndef WAYS_H
#define WAYS_H

#include "starter.h"

/* Less than the attempt at memory wants. */
#define WAYS_MEMORY	(64 << 20)
#define WAYS_CONFIG	"{\"root\":\"/\"}"

/* All of the test, and, if the arguments say so, a starter of such jails
 * that leaves layers out. Returns the exit status. */
int	 ways_main(const struct starter_ops *, int argc, char **argv);
/* The host's abstract socket, that no attacker is to reach. */
void	 ways_listen(void);

/* The canary of the starter `binary`; attacker is the test that is one with
 * layers left out. killed: the filter's kill ends the jail. */
int	 canary_main(const struct starter_ops *, const char *binary,
	    const char *attacker, int killed);

#endif

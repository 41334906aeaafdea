/*
 * One question and its answer.
 */
#ifndef ASK_H
#define ASK_H

#include "wire.h"

/* How long an answer may take, and after how long standard error is told
 * that it does, in milliseconds. */
#define ASK_TIMEOUT	60000
#define ASK_NOTICE	5000

/*
 * Wait at most ms milliseconds for the answer to question id. A descriptor
 * of signals (or -1) may end the waiting. REFUSED is a failure as well. -1
 * with the failure filled in; else free the reply.
 */
int	 wire_ask(struct wire *, uint32_t id, int sigfd, int ms,
	    struct reply *, struct failure *)
	    __attribute__((warn_unused_result));

/*
 * Connect, ask, and take the answer, which has to be of type answer. Takes
 * env.
 */
int	 ask_once(const char *path, uint32_t type, uint32_t answer,
	    json_t *env, struct reply *, struct failure *)
	    __attribute__((warn_unused_result));

/* A REFUSED as a failure. */
void	 reply_refused(const struct reply *, struct failure *);
/* The connection broke before the answer came. Returns -1. */
int	 wire_lost(struct failure *);

#endif

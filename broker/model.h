/*
 * Model calls: judged, paid for from the run's budget, passed to the gateway.
 */
#ifndef MODEL_H
#define MODEL_H

#include "peer.h"

struct broker;
struct pending;
struct run;

/* The gateway is there: speak with it on fd (taken). */
void	 model_connect(struct broker *, int fd);
/* Nobody waits for the calls of a run any more: cancel and free them. */
void	 model_forget_run(struct run *);
/* The call of this number fails, without having cost anything. */
void	 model_fail(struct broker *, const char *run, uint32_t id,
	    const char *class, int64_t after, const char *message);
/* The gateway is not there: worth another try. */
void	 model_fail_away(struct broker *, const char *run, uint32_t id,
	    const char *message);

/* ---- model_pay.c ---- */

/* A call that has been granted: send it, let it wait, or refuse it. */
void	 model_pay(struct broker *, struct run *, const struct msg *);
/* It is over and has used this much. Frees it, and sends what has waited. */
void	 model_settle(struct broker *, struct pending *, int64_t used);
/* Nobody waits any more for those of a run that have waited. */
void	 model_forget_unpaid(struct run *);

/* MODEL_CALL and MODEL_CANCEL, of the keeper. */
int	 model_call(struct peer *, struct msg *);
int	 model_cancel(struct peer *, struct msg *);

#endif

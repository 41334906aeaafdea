/*
 * Model calls: judged, paid for from the run's budget, passed to the gateway.
 */
#ifndef MODEL_H
#define MODEL_H

#include "peer.h"

struct broker;
struct pending;

/* The gateway is there: speak with it on fd (taken). */
void	 model_connect(struct broker *, int fd);
/* Nobody waits for this call any more: cancel and free it. */
void	 model_forget(struct broker *, struct pending *);

/* MODEL_CALL and MODEL_CANCEL, of the keeper. */
int	 model_call(struct peer *, struct msg *);
int	 model_cancel(struct peer *, struct msg *);

#endif

/*
 * What the broker answers of its own: scopes, doctor, version.
 */
#ifndef REPORT_H
#define REPORT_H

#include <jansson.h>

#include "peer.h"

struct broker;
struct client;
struct report;
struct run;

void	 report_free(struct report *);
/* HOST_ROW, of the warden and the keeper. */
int	 report_row(struct peer *, struct msg *);
/* ATTEMPT, of the warden. */
int	 report_attempt(struct peer *, struct msg *);

/* New bodies of ANSWER. With all, other users' scopes too. */
json_t	*report_scopes(struct broker *, const struct client *, int all);
json_t	*report_doctor(struct broker *);
json_t	*report_version(void);

/* What the run may do and use as things stand: a new object, or NULL if it
 * has no scope. run may be NULL. */
json_t	*report_policy(struct run *);

#endif

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

void	 report_free(struct report *);
/* HOST_ROW, of the supervisor. */
int	 report_row(struct peer *, struct msg *);

/* New bodies of ANSWER. With all, other users' scopes too. */
json_t	*report_scopes(struct broker *, const struct client *, int all);
json_t	*report_doctor(struct broker *);
json_t	*report_version(void);

#endif

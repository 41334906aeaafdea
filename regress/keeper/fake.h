/*
 * A keeper and a broker that a test plays, in one process and one loop, with
 * a real socket and a real store between and below them.
 */
#ifndef FAKE_H
#define FAKE_H

#include "keeper.h"
#include "test.h"

struct got {
	TAILQ_ENTRY(got)	 entry;
	uint32_t		 type, id;
	json_t			*env;
	json_t			*body;		/* NULL if there was none */
};
TAILQ_HEAD(got_list, got);

struct fake {
	struct event_base	*base;
	struct keeper		 keeper;
	struct peer		*peer;		/* the test's end */
	struct handler		*handlers;
	struct peer_ops		 ops;
	struct got_list		 got;
	char			 dir[64], path[96];
	int			 gone;		/* the keeper dropped us */
};

/* A fresh store in a directory of its own. config is JSON, NULL: usual. */
struct fake	*fake_new(const char *config);
/* As kill -9 and a new start would: what was not committed is lost. */
void		 fake_restart(struct fake *, const char *config);
/* A new broker; the keeper goes on. */
void		 fake_new_broker(struct fake *);
void		 fake_free(struct fake *);

/* Say something to the keeper; env and body are JSON texts, body or NULL. */
void		 fake_say(struct fake *, uint32_t type, uint32_t id,
		    const char *body, const char *env, ...)
		    __attribute__((format(printf, 5, 6)));
/* Let the loop turn until there is nothing to do for ms milliseconds. */
void		 fake_turn(struct fake *, int ms);
/*
 * Wait at most two seconds for the next message of a type and take it out of
 * what has come. NULL if none comes. Lent until the next call.
 */
struct got	*fake_wait(struct fake *, uint32_t type);
/* How many of a type have come and were not taken. */
int		 fake_count(struct fake *, uint32_t type);
/* Forget all that has come. */
void		 fake_clear(struct fake *);

/* Submit source with null arguments: the new run's id, or NULL. */
const char	*fake_run(struct fake *, const char *source);
/* The broker has started its jail. */
void		 fake_jail(struct fake *, const char *run);
/* Fields of an envelope or body. */
const char	*got_str(const struct got *, const char *key);
int64_t		 got_int(const struct got *, const char *key);
const char	*body_str(const struct got *, const char *key);
json_t		*body_get(const struct got *, const char *key);

#define DIGEST_A \
    "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa"
#define DIGEST_B \
    "bbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbb"

#endif

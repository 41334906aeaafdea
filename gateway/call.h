/*
 * A model call from its question to its one answer, and what a provider
 * says about it. Each call ends by exactly one of call_done(), call_fail()
 * or its provider's cancel(); after that it is gone.
 */
#ifndef CALL_H
#define CALL_H

#include <sys/queue.h>

#include <jansson.h>
#include <stdint.h>

#include "config.h"
#include "failure.h"
#include "peer.h"

#define CALLS_PENDING_MAX	4096
/* The longest message that is passed on, as JSON, and the longest delta. */
#define ANSWER_MAX		(3 * 1024 * 1024)
#define DELTA_MAX		(32 * 1024)

struct provider_ops;

struct call {
	TAILQ_ENTRY(call)	 entry;
	struct calls		*calls;
	uint32_t		 id;		/* the broker's peerid */
	char			*run, *node;
	char			*model;		/* as scripts say it */
	char			*upstream;	/* as the provider says it */
	int64_t			 max_tokens;	/* of the answer, 0: any */
	json_t			*body;		/* checked by question_check */
	int64_t			 began;		/* milliseconds, monotonic */
	const struct provider_ops *ops;		/* whose work it is */
	void			*work;		/* the provider's own */
};

struct calls {
	TAILQ_HEAD(call_list, call) list;
	size_t			 n;
	struct peer		*broker;	/* NULL: nobody listens */
};

struct usage {
	int64_t	in, out;
};

void	 calls_init(struct calls *);
/* Lends the pending call with this id, or NULL. */
struct call	*call_find(const struct calls *, uint32_t id);
/*
 * A new pending call for a MODEL_CALL's envelope. Takes body. NULL: out of
 * memory, the body is freed.
 */
struct call	*call_new(struct calls *, uint32_t id, const json_t *env,
		    const struct model_config *, json_t *body);
/* Stop: the provider lets go of it, nobody is told. */
void	 call_cancel(struct call *);
void	 calls_cancel(struct calls *);

/* ---- for providers ---- */

/* More text of the answer. */
void	 call_delta(struct call *, const char *text, size_t n);
/* The whole answer. Takes message; request is the provider's own id of the
 * call or NULL. */
void	 call_done(struct call *, json_t *message, const char *finish,
	    const struct usage *, const char *request);
void	 call_fail(struct call *, const struct failure *);

/* A refusal before there is a call. */
void	 refuse(struct peer *broker, uint32_t id, const char *run,
	    const struct failure *);

#endif

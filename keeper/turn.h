/*
 * The inner loop of an agent: prompt, model, tool batch, model ... until the
 * model asks for no more tools. Everything here is one attempt in memory; all
 * that must outlive the process is in the store before it has an effect.
 */
#ifndef TURN_H
#define TURN_H

#include <sys/queue.h>

#include <event2/event.h>
#include <jansson.h>
#include <stddef.h>
#include <stdint.h>

#include "agent_session.h"
#include "effect.h"
#include "run.h"
#include "store.h"
#include "transcript.h"

struct agent;

/* One call of the batch that is being worked on. */
struct call {
	struct agent		*agent;
	size_t			 index;
	struct effect		*effect;	/* NULL: none on its way */
	int			 restarts;
};

struct batch {
	int64_t		 entry;		/* the assistant's, 0: no batch */
	json_t		*asked;		/* its calls */
	struct call	*calls;
	size_t		 ncalls, next, open;
	int		 one_by_one;	/* a tool wants to be alone */
	int		 resumed;	/* a dead attempt may have begun it */
	int		 cut;		/* the answer ended at its limit */
	struct outcome	*known;		/* recorded by a dead attempt */
};

struct stream {
	char		*text;		/* not yet in a segment */
	size_t		 len, size;
	int64_t		 segments;
	struct event	*flush;
};

enum slot { SLOT_NONE, SLOT_WAITING, SLOT_HELD };

struct agent {
	TAILQ_ENTRY(agent) entry;	/* of those that wait for a slot */
	enum slot	 slot;
	struct run	*run;
	struct node	*node;
	struct store	*store;
	json_t		*input;
	struct session	*session;
	int64_t		 submission, attempt, turn;
	int64_t		 due, deadline;	/* 0: none */
	int64_t		 sandbox;	/* 0: not needed so far */
	struct effect	*model;		/* the call on its way */
	struct event	*wait, *timeout;
	struct batch	 batch;
	struct stream	 stream;
};

/* ---- agent.c: how an attempt begins ---- */

/* What can be wrong with the input of an agent, and what it is called. */
#define BAD_INPUT	"AgentError", "input", NULL

struct agent	*agent_new(struct run *, struct node *, const json_t *input);
/* The construction seam: once for every attempt, from the node's input. */
int	 agent_build(struct agent *, char *why, size_t whylen)
	    __attribute__((warn_unused_result));
/* Claim a queued submission, now or when there is a slot. May free the
 * agent. */
void	 agent_claim(struct agent *);
/* It has a slot: begin the first attempt, or one after a requeue. */
void	 agent_run(struct agent *);
/* End the attempt when it is due, or all of them at the deadline. */
void	 agent_arm_timeout(struct agent *);

/* ---- agent.c: how an attempt ends; each frees the agent and its node ---- */

/* Takes value. */
void	 agent_succeed(struct agent *, json_t *value);
/* Fail, unless a retry is left: then the next attempt begins. */
void	 agent_fail(struct agent *, const char *class, const char *cause,
	    const char *rule, const char *fmt, ...)
	    __attribute__((format(printf, 5, 6)));
/* The name that effects are asked for with: empty if it has none. */
const char	*agent_name(const struct agent *);
/* Another attempt owns the submission, which can't be: a fault of ours. */
void	 agent_lost(struct agent *);

/* ---- turn.c, turn_answer.c: the model ---- */

/* Append to the transcript: see transcript_append(). Takes body. */
int64_t	 turn_append(struct agent *, enum entry_kind, const char *key,
	    json_t *body);
/* Is a conversation of so many bytes too long? Then with a sentence in why.
 */
int	 turn_is_long(size_t size, char *why, size_t whylen);
/* How long it is when it begins. */
size_t	 turn_first_size(const struct session *);

/* What is done with its answers. */
extern const struct model_ops	turn_answers;

/* Ask the model for its next answer. May free the agent. */
void	 turn_begin(struct agent *);
/* Wait until `at` (milliseconds since 1970), then turn_begin(). */
void	 turn_wait(struct agent *, int64_t at);
/* The model has stopped without finish: remind it. May free the agent. */
void	 turn_remind(struct agent *);
/* The last answer of a path as the agent's text: a new reference. */
json_t	*turn_text(const struct transcript *);
/* End with the fault of the path's last entry. Frees the agent. */
void	 turn_fail(struct agent *, const json_t *error);

/* ---- turn_message.c: what of a message is kept ---- */

/* The tool calls of a message: a new array of {"id", "name", "arguments"},
 * the ids all different, the arguments objects. NULL if it has none. */
json_t	*message_calls(const json_t *message, int64_t turn);

/* ---- turn_batch.c: tool calls ---- */

/* Work on the calls of an assistant entry, then publish their outcomes and
 * go on. calls is lent. May free the agent. */
void	 batch_start(struct agent *, int64_t entry, json_t *calls, int cut,
	    int resumed);
/* Forget the batch; told: cancel what is on its way, else only forget. */
void	 batch_stop(struct agent *, int told);

/* ---- turn_stream.c: text as it comes ---- */

void	 stream_add(struct agent *, const char *text);
void	 stream_end(struct agent *);
/* After a restart: put what was streamed into the transcript, to be gone on
 * with. Returns 1 if there was something. */
int	 stream_recover(struct agent *, const struct transcript *);

#endif

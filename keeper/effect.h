/*
 * Effects: what the keeper asks of the world through the broker. A call goes
 * out after the commit of the wake-up that made it, so `started` is durable
 * before the effect can be.
 */
#ifndef EFFECT_H
#define EFFECT_H

#include <jansson.h>
#include <stdint.h>

struct effect;
struct run;

/* What an outcome says if the sandbox was taken from under its call. */
#define CAUSE_RESTART	"restart"

/* Called once, from the event loop; the effect is freed afterwards. value is
 * lent: the tool's value, or {"class", "message", "cause", "rule"}. */
typedef void	(*effect_cb)(void *arg, int ok, json_t *value);

/*
 * Call a tool in a sandbox of the run. timeout_ms 0: none. agent is NULL for
 * a tool node. input is lent.
 */
struct effect	*effect_tool(struct run *, const char *node, const char *tool,
		    int64_t sandbox, int64_t timeout_ms, const char *agent,
		    const json_t *input, effect_cb, void *arg);

/* Send the calls to tools that waited for room on the disk. */
struct keeper;
void		 effect_unpark_all(struct keeper *);

/* Has a call failed by what we did to its sandbox, not by its own fault? */
int		 effect_was_ours(int ok, const json_t *error);

/* As MODEL_DONE and MODEL_FAIL say it; all of it is lent. */
struct model_done {
	json_t		*message;	/* the assistant's */
	const char	*finish;
	const char	*request;	/* the provider's id, or NULL */
	int64_t		 tokens_in, tokens_out;
};
struct model_fail {
	const char	*class, *message;
	int		 status;
	int64_t		 after;		/* milliseconds, at the least */
	int64_t		 tokens_in, tokens_out;
};
struct model_ops {
	void	(*delta)(void *arg, const char *text);	/* any number */
	void	(*done)(void *arg, const struct model_done *);
	void	(*fail)(void *arg, const struct model_fail *);
};

/* Call a model; body as in MODEL_CALL, lent. input and output are the tokens
 * that go in, about, and that may come out. Of done and fail exactly one is
 * called, once; the effect is freed afterwards. */
struct effect	*effect_model(struct run *, const char *node,
		    const char *model, int64_t input, int64_t output,
		    const char *agent, const json_t *body,
		    const struct model_ops *, void *arg);

/* Tell the broker that nobody waits any more, and free it without a call
 * back. Not for an effect whose done, fail or callback is running. */
void		 effect_cancel(struct effect *);
/* Free it without telling anybody: the broker is gone. NULL is allowed. */
void		 effect_forget(struct effect *);

#endif

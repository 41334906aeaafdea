/*
 * An agent in a fake keeper: what a broker, a model and tools say to it, and
 * what it says to them. JSON is written with ' for ", so that it can be read.
 */
#ifndef FAKE_AGENT_H
#define FAKE_AGENT_H

#include "fake.h"
#include "submission.h"
#include "turn_journal.h"

#define AGENT	"/agent#0"

#define READ(id, path)	"{'id':'" id "','name':'read','arguments':"	\
			"{'path':'" path "'}}"
#define BASH(id)	"{'id':'" id "','name':'bash','arguments':"	\
			"{'command':'make'}}"

struct play {
	struct fake	*f;
	char		 run[32];
};

/* A run whose script has its jail, and the end of it all. */
void	 begin(struct play *);
void	 end(struct play *);
/* Kill the keeper, start it again, give the run a jail. */
void	 restart(struct play *);

/* The script asks for the agent node. */
void	 ask(struct play *, const char *input);
/* The model answers its id-th call. */
void	 answer(struct play *, uint32_t id, const char *finish,
	    const char *message);
void	 say_text(struct play *, uint32_t id, const char *text);
/* calls is the inside of the array of calls. */
void	 say_calls(struct play *, uint32_t id, const char *calls);
void	 say_delta(struct play *, uint32_t id, const char *text);
void	 say_fail(struct play *, uint32_t id, const char *class);
void	 say_tool(struct play *, uint32_t id, int ok, const char *value);

/* The next model call's id, 0 if none comes; body, unless NULL, is kept. */
uint32_t	 model_call(struct play *, json_t **body);
/* The next tool call's id, 0 if it is not of this tool. */
uint32_t	 tool_call(struct play *, const char *tool);
/* Of a model call's body: a message's text and role, "" if there is none, and
 * the size of an array. */
const char	*content(const json_t *body, size_t i);
const char	*role(const json_t *body, size_t i);
size_t		 count(const json_t *body, const char *key);

/* The node's outcome: is it this value, or an error like this? */
int	 ends_with(struct play *, const char *value);
int	 fails_with(struct play *, const char *class, const char *cause);

/* What the store says of the first submission. */
enum journal_phase	 phase(struct play *);
struct submission	 row(struct play *);

#endif

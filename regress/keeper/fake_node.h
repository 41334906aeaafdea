/*
 * A node in a fake keeper: what the script's jail asks, and what the broker
 * says of the tool that was called.
 */
#ifndef FAKE_NODE_H
#define FAKE_NODE_H

#include "fake.h"

#define READ_INPUT \
    "{\"name\": \"read\", \"input\": {\"path\": \"a.c\"}}"
#define BASH_INPUT \
    "{\"name\": \"bash\", \"input\": {\"command\": \"make\"}}"

/* A run whose jail has been told its script. The id is copied to run. */
struct fake	*fake_begun(char run[32]);
/* Kill the keeper, start it, and let the run's jail be told again. */
void		 fake_again(struct fake *, const char *run);

/* The script asks for a node; input is JSON. */
void		 fake_node(struct fake *, const char *run, const char *path,
		    const char *kind, const char *digest, const char *input);
void		 fake_tool(struct fake *, const char *run, const char *path,
		    const char *input);
/* The tool has answered: ok is "true" or "false". */
void		 fake_tool_done(struct fake *, const char *run, uint32_t id,
		    const char *ok, const char *value);
const char	*got_cause(const struct got *);

#endif

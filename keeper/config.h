/*
 * The keeper's part of the configuration, checked once when it arrives.
 */
#ifndef CONFIG_H
#define CONFIG_H

#include <jansson.h>
#include <stddef.h>
#include <stdint.h>

struct config;

struct model_conf {
	const char	*name;
	int64_t		 max_tokens;	/* of one answer; 0: not known */
	int64_t		 window;	/* 0: not known */
};

struct agent_conf {
	const char	*model;		/* NULL: the default */
	const char	*instructions;	/* never NULL */
	const json_t	*tools;		/* array of names; NULL: all */
};

/* Takes a reference on what it keeps. NULL with why if it is not right. */
struct config	*config_new(json_t *body, char *why, size_t whylen);
void		 config_free(struct config *);

int64_t		 config_runs(const struct config *);	/* at once */
int64_t		 config_queue(const struct config *);	/* waiting */
int64_t		 config_retain(const struct config *);	/* ended, kept */
int64_t		 config_journal(const struct config *);	/* in bytes; or 0 */

/* name NULL is the default model. Lent; 0, or -1 if there is none such. */
int		 config_model(const struct config *, const char *name,
		    struct model_conf *) __attribute__((warn_unused_result));
/* Write "a, b, c" to buf, which is returned. */
const char	*config_model_names(const struct config *, char *buf,
		    size_t buflen);
const char	*config_agent_names(const struct config *, char *buf,
		    size_t buflen);
int		 config_agent(const struct config *, const char *name,
		    struct agent_conf *) __attribute__((warn_unused_result));

#endif

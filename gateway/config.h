/*
 * The gateway's part of the configuration: who provides which model. As the
 * supervisor sends it, {"providers": {NAME: {...}}, "models": {NAME: {...}}}.
 */
#ifndef CONFIG_H
#define CONFIG_H

#include <jansson.h>
#include <stddef.h>
#include <stdint.h>

#define CONFIG_PROVIDERS_MAX	64
#define CONFIG_MODELS_MAX	256

enum provider_type { PROVIDER_CANNED, PROVIDER_OPENAI };

struct provider_config {
	char			*name;
	enum provider_type	 type;
	char			*url;		/* NULL for canned */
	int			 has_key;	/* one is to follow */
	int64_t			 connect_timeout;	/* seconds */
	int64_t			 idle_timeout;
	int64_t			 total_timeout;
};

struct model_config {
	char		*name;		/* as scripts say it */
	char		*upstream;	/* as the provider says it */
	size_t		 provider;	/* index */
	int64_t		 max_tokens;	/* 0: the provider's own limit */
};

struct config {
	struct provider_config	*providers;
	size_t			 nproviders;
	struct model_config	*models;
	size_t			 nmodels;
};

/* Returns NULL with in why the path of the key and what is wrong with it. */
struct config	*config_parse(const json_t *, char *why, size_t whylen);
void		 config_free(struct config *);

/* Lends the model of that name, or NULL. */
const struct model_config	*config_model(const struct config *,
				    const char *name);
/* The names of all models, for an error text: "a, b, c". Returns dst. */
char		*config_model_names(const struct config *, char *dst,
		    size_t dstlen);

#endif

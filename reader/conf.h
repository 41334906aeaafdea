/*
 * The configuration, as wfsupd.conf(5) has it. The parser reads from a file
 * that its caller opened; it opens none.
 */
#ifndef CONF_H
#define CONF_H

#include <sys/queue.h>
#include <sys/types.h>

#include <jansson.h>
#include <stdint.h>
#include <stdio.h>

#define CONF_NAME_MAX	64

/* A list of words in braces, in order. */
struct conf_word {
	STAILQ_ENTRY(conf_word)	 entry;
	char			*word;
	int			 line;
};
STAILQ_HEAD(conf_words, conf_word);

enum conf_provider_type { PROVIDER_CANNED, PROVIDER_OPENAI };

struct conf_provider {
	STAILQ_ENTRY(conf_provider)	 entry;
	int				 line;
	char				*name;
	enum conf_provider_type		 type;
	char				*url;		/* openai */
	char				*rules;		/* canned: a file */
	char				*key_file;	/* or NULL */
	char				*credential;	/* or NULL */
	int64_t				 connect_timeout, idle_timeout,
					 total_timeout;	/* seconds */
};

struct conf_model {
	STAILQ_ENTRY(conf_model)	 entry;
	int				 line;
	char				*name;
	char				*provider;
	char				*remote;	/* the provider's name */
	int64_t				 max_tokens, window;
};

struct conf_agent {
	STAILQ_ENTRY(conf_agent)	 entry;
	int				 line;
	char				*name;
	char				*model;		/* or NULL: default */
	char				*instructions;	/* or NULL */
	struct conf_words		 tools;
	int				 has_tools;
};

struct conf_profile {
	STAILQ_ENTRY(conf_profile)	 entry;
	int				 line;
	char				*name;
	struct conf_words		 verbs, tools, models, agents;
	int64_t				 tokens;	/* 0: no budget */
	int64_t				 runs;
	int64_t				 memory, fsize;	/* bytes */
	int64_t				 pids, files;
	int64_t				 cpu, wall;	/* seconds */
	int64_t				 output, frame;	/* bytes */
	int64_t				 calls;		/* pending at once */
	int64_t				 rate;		/* log lines a second */
	int64_t				 depth;
};

enum conf_who { WHO_USER, WHO_GROUP, WHO_ANY };

struct conf_allow {
	STAILQ_ENTRY(conf_allow)	 entry;
	int				 line;
	enum conf_who			 who;
	uint32_t			 id;
	char				*profile;
};

/* One user and group that a room runs as. */
struct conf_ids {
	uid_t	uid;
	gid_t	gid;
};

struct conf {
	char		*state;		/* state directory */
	char		*control;	/* control socket */
	gid_t		 control_gid;
	mode_t		 control_mode;
	char		*log;		/* log socket; NULL: standard error */
	char		*cgroup;	/* NULL: our own cgroup's child */
	struct conf_ids	 broker, keeper, gateway, sandbox;
	uint32_t	 jail_base;	/* first of 131,072 ids */
	int64_t		 jails;		/* at most at once */
	int64_t		 spares;	/* made ahead */
	int64_t		 recycle;	/* by one starter; 0: any number */
	int64_t		 runs, queue, retain;
	int64_t		 journal;	/* bytes of ended runs; 0: by the disk */
	char		*default_model;	/* or NULL */
	int		 default_line;

	STAILQ_HEAD(conf_provider_list, conf_provider)	providers;
	STAILQ_HEAD(conf_model_list, conf_model)	models;
	STAILQ_HEAD(conf_agent_list, conf_agent)	agents;
	STAILQ_HEAD(conf_profile_list, conf_profile)	profiles;
	STAILQ_HEAD(conf_allow_list, conf_allow)	allows;
};

/* How names of accounts become numbers: the caller's getpwnam(3), or a
 * test's table. They return 0, or -1 if there is no such name. */
struct conf_names {
	int	(*user)(void *arg, const char *name, uid_t *uid, gid_t *gid);
	int	(*group)(void *arg, const char *name, gid_t *gid);
	void	*arg;
};

/*
 * Parse in; name is what error lines begin with. Each error is handed to
 * report() as "name:line: what is wrong", parsing goes on to find more. A
 * file without any word is the default configuration. Returns a
 * configuration whose references are all resolved (users, groups, models,
 * providers, profiles), or NULL if there was an error. Free with conf_free().
 */
struct conf	*conf_parse(FILE *in, const char *name,
		    const struct conf_names *names,
		    void (*report)(const char *text, void *ctx), void *ctx);
void		 conf_free(struct conf *);

/* What a room gets as ROOM_CONFIG: a new reference. */
json_t		*conf_broker_json(const struct conf *);
json_t		*conf_keeper_json(const struct conf *);
json_t		*conf_gateway_json(const struct conf *);
json_t		*conf_warden_json(const struct conf *);

#endif

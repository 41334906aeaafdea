/*
 * Between the grammar (parse.y), the lexer and the checks of a configuration.
 */
#ifndef CONF_PARSE_H
#define CONF_PARSE_H

#include "conf.h"

struct parser {
	FILE				*in;
	const char			*name;
	int				 line;
	int				 newline;	/* the last token */
	int				 errors;
	struct conf			*conf;
	const struct conf_names		*names;
	void				(*report)(const char *, void *);
	void				*ctx;
	char				 token[512];	/* the last word */
	int				 quoted;	/* was in quotes */
	int				 in_words;	/* between the braces
							   of a list */
	int				 want_name;	/* a name must follow */
	/* What a block that is being read fills. */
	struct conf_provider		*provider;
	struct conf_model		*model;
	struct conf_agent		*agent;
	struct conf_profile		*profile;
	struct conf_words		*words;
};

/* The longest result of a tool: what is around it must fit, too. */
#define CONF_OUTPUT_MAX	(INT64_C(4) * 1024 * 1024 - 16 * 1024)

/* Report an error at the current line; counts it. */
void	 conf_error(struct parser *, const char *fmt, ...)
	    __attribute__((format(printf, 2, 3)));

/* The next piece of text: a LEX_ value, or one of the characters { } ,
 * whose text is in p->token. */
enum { LEX_END = -3, LEX_NEWLINE = -2, LEX_WORD = -1 };
int	 conf_lex(struct parser *);

/* "64", "64k", "64M", "2G" in bytes; "30", "30s", "5m", "1h", "1d" in
 * seconds; plain. An error is reported, and least returned. */
enum conf_unit { UNIT_NONE, UNIT_BYTES, UNIT_SECONDS };
int64_t	 conf_number(struct parser *, const char *text, enum conf_unit,
	    int64_t least, int64_t most);

/* Append a word; fatal if out of memory. */
void	 conf_words_add(struct conf_words *, const char *, int line);
void	 conf_words_clear(struct conf_words *);
/* Append one to the list that is being read; an unknown verb is reported. */
void	 conf_word_add(struct parser *, const char *);
/* Never NULL: out of memory is fatal. */
char	*conf_strdup(const char *);
void	*conf_alloc(size_t);

struct conf	*conf_new(void);
/* New members with their defaults. A second one of a name is reported. */
struct conf_provider	*conf_provider_add(struct parser *, const char *);
struct conf_model	*conf_model_add(struct parser *, const char *);
struct conf_agent	*conf_agent_add(struct parser *, const char *);
struct conf_profile	*conf_profile_add(struct parser *, const char *);
void	 conf_allow_add(struct parser *, enum conf_who, const char *who,
	    const char *profile);
/* Set an account that a room runs as; group may be NULL. */
void	 conf_ids_set(struct parser *, struct conf_ids *, const char *user,
	    const char *group);
/* A group's name or number. */
gid_t	 conf_group(struct parser *, const char *);
/* Replace a string that may be set once a block. */
void	 conf_set(char **dst, const char *src);

/* Fill in what was not set, and check what refers to what. */
void	 conf_check(struct parser *);
/* Parts of it. Root may do all, unless rules say who may what. */
void	 conf_default_profile(struct parser *);
void	 conf_check_references(struct parser *);

int	 conf_yyparse(struct parser *);

#endif

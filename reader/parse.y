/*
 * The grammar of wfsupd.conf(5). A statement is a line; a block is a
 * statement with lines in braces.
 */
%define api.pure full
%define api.prefix {conf_yy}
%define parse.error custom
%param { struct parser *p }

%code requires {
#include "conf_parse.h"
}

%code {
#include <bsd/string.h>

#include <stdlib.h>
#include <string.h>

#define YYMAXDEPTH	1000

static int	conf_yylex(CONF_YYSTYPE *, struct parser *);
static void	conf_yyerror(struct parser *, const char *);

/* A word of the grammar must outlive the lexer's buffer until it is used. */
#define PATH(s, most)	do {						\
	if ((s)[0] != '/')						\
		conf_error(p, "\"%s\" is not an absolute path", (s));	\
	else if (strlen(s) > (most))					\
		conf_error(p, "a path of %zu bytes, and no more than "	\
		    "%d are possible here", strlen(s), (most));		\
} while (0)
#define PATH_USUAL	4095
#define PATH_DIR	240	/* what is below it has a name, too */
#define PATH_SOCKET	107	/* unix(7) */
}

%union {
	char	*text;
	int	 number;
}
%destructor { free($$); } <text>

%token STATE "state" DIRECTORY "directory" CONTROL "control"
%token SOCKET "socket" GROUP "group" MODE "mode" LOG "log" STDERR "stderr"
%token CGROUP "cgroup" USER "user" BROKER_ID "broker" KEEPER_ID "keeper"
%token GATEWAY_ID "gateway" SANDBOX_ID "sandbox" JAIL "jail" IDS "ids"
%token LIMIT "limit" JAILS "jails" RUNS "runs" QUEUE "queue" RETAIN "retain"
%token SPARES "spares" RECYCLE "recycle" JOURNAL "journal"
%token PROVIDER "provider" TYPE "type" CANNED "canned" OPENAI "openai"
%token URL "url" RULES "rules" KEY "key" FILE_ "file"
%token CREDENTIAL "credential" TIMEOUT "timeout" CONNECT "connect"
%token IDLE "idle" TOTAL "total" MODEL "model" NAME "name" MAX "max"
%token TOKENS "tokens" WINDOW "window" DEFAULT "default" AGENT "agent"
%token INSTRUCTIONS "instructions" TOOLS "tools" PROFILE "profile"
%token VERBS "verbs" MODELS "models" AGENTS "agents" MEMORY "memory"
%token PIDS "pids" CPU "cpu" WALL "wall" FSIZE "fsize" FILES "files"
%token DEPTH "depth" OUTPUT "output" FRAME "frame" CALLS "calls" RATE "rate"
%token ALLOW "allow" ANY_ "any"
%token <text> WORD "word"
%token NL "end of line" END 0 "end of file"
%type <text> group
%type <number> who

%%

grammar	: %empty
	| grammar NL
	| grammar statement end
	| grammar error NL	{ yyerrok; }
	;
end	: NL | END ;

statement : STATE DIRECTORY WORD {
		PATH($3, PATH_DIR);
		conf_set(&p->conf->state, $3);
		free($3);
	}
	| CONTROL SOCKET WORD socket_options {
		PATH($3, PATH_SOCKET);
		conf_set(&p->conf->control, $3);
		free($3);
	}
	| LOG SOCKET WORD {
		PATH($3, PATH_SOCKET);
		conf_set(&p->conf->log, $3);
		free($3);
	}
	| LOG STDERR		{ conf_set(&p->conf->log, NULL); }
	| CGROUP WORD {
		PATH($2, PATH_DIR);
		conf_set(&p->conf->cgroup, $2);
		free($2);
	}
	| USER BROKER_ID WORD group {
		conf_ids_set(p, &p->conf->broker, $3, $4);
		free($3);
		free($4);
	}
	| USER KEEPER_ID WORD group {
		conf_ids_set(p, &p->conf->keeper, $3, $4);
		free($3);
		free($4);
	}
	| USER GATEWAY_ID WORD group {
		conf_ids_set(p, &p->conf->gateway, $3, $4);
		free($3);
		free($4);
	}
	| USER SANDBOX_ID WORD group {
		conf_ids_set(p, &p->conf->sandbox, $3, $4);
		free($3);
		free($4);
	}
	| JAIL IDS WORD {
		p->conf->jail_base = (uint32_t)conf_number(p, $3, UNIT_NONE,
		    65536, INT64_C(4294836223));
		free($3);
	}
	| LIMIT JAILS WORD {
		p->conf->jails = conf_number(p, $3, UNIT_NONE, 1, 16384);
		free($3);
	}
	| LIMIT RUNS WORD {
		p->conf->runs = conf_number(p, $3, UNIT_NONE, 1, 16384);
		free($3);
	}
	| LIMIT QUEUE WORD {
		p->conf->queue = conf_number(p, $3, UNIT_NONE, 0, 1000000);
		free($3);
	}
	| LIMIT SPARES WORD {
		p->conf->spares = conf_number(p, $3, UNIT_NONE, 0, 256);
		free($3);
	}
	| LIMIT RECYCLE WORD {
		p->conf->recycle = conf_number(p, $3, UNIT_NONE, 0, 1000000);
		free($3);
	}
	| LIMIT RETAIN WORD {
		p->conf->retain = conf_number(p, $3, UNIT_NONE, 0, 10000000);
		free($3);
	}
	| LIMIT JOURNAL WORD {
		p->conf->journal = conf_number(p, $3, UNIT_BYTES,
		    INT64_C(1) << 20, INT64_C(1) << 50);
		free($3);
	}
	| DEFAULT MODEL WORD {
		conf_set(&p->conf->default_model, $3);
		p->conf->default_line = p->line;
		free($3);
	}
	| PROVIDER WORD {
		p->provider = conf_provider_add(p, $2);
		free($2);
		$2 = NULL;
	} '{' provider_lines '}'
	| MODEL WORD {
		p->model = conf_model_add(p, $2);
		free($2);
		$2 = NULL;
	} '{' model_lines '}'
	| AGENT WORD {
		p->agent = conf_agent_add(p, $2);
		free($2);
		$2 = NULL;
	} '{' agent_lines '}'
	| PROFILE WORD {
		p->profile = conf_profile_add(p, $2);
		free($2);
		$2 = NULL;
	} '{' profile_lines '}'
	| ALLOW who WORD PROFILE WORD {
		conf_allow_add(p, (enum conf_who)$2, $3, $5);
		free($3);
		free($5);
	}
	| ALLOW ANY_ PROFILE WORD {
		conf_allow_add(p, WHO_ANY, NULL, $4);
		free($4);
	}
	;

who	: USER	{ $$ = WHO_USER; }
	| GROUP	{ $$ = WHO_GROUP; }
	;

group	: %empty	{ $$ = NULL; }
	| GROUP WORD	{ $$ = $2; }
	;

socket_options : %empty
	| socket_options GROUP WORD {
		p->conf->control_gid = conf_group(p, $3);
		free($3);
	}
	| socket_options MODE WORD {
		if (strlen($3) > 4 || strspn($3, "01234567") != strlen($3) ||
		    (strtol($3, NULL, 8) & ~0666) != 0)
			conf_error(p, "mode \"%s\" is not 0000 to 0666", $3);
		else
			p->conf->control_mode = (mode_t)strtol($3, NULL, 8);
		free($3);
	}
	;

provider_lines : %empty
	| provider_lines NL
	| provider_lines provider_line NL
	| provider_lines error NL	{ yyerrok; }
	;
provider_line : TYPE CANNED	{ p->provider->type = PROVIDER_CANNED; }
	| TYPE OPENAI		{ p->provider->type = PROVIDER_OPENAI; }
	| URL WORD		{ conf_set(&p->provider->url, $2); free($2); }
	| RULES WORD {
		PATH($2, PATH_USUAL);
		conf_set(&p->provider->rules, $2);
		free($2);
	}
	| KEY FILE_ WORD {
		PATH($3, PATH_USUAL);
		conf_set(&p->provider->key_file, $3);
		free($3);
	}
	| KEY CREDENTIAL WORD {
		conf_set(&p->provider->credential, $3);
		free($3);
	}
	| CONNECT TIMEOUT WORD {
		p->provider->connect_timeout = conf_number(p, $3,
		    UNIT_SECONDS, 1, 3600);
		free($3);
	}
	| IDLE TIMEOUT WORD {
		p->provider->idle_timeout = conf_number(p, $3,
		    UNIT_SECONDS, 1, 86400);
		free($3);
	}
	| TOTAL TIMEOUT WORD {
		p->provider->total_timeout = conf_number(p, $3,
		    UNIT_SECONDS, 1, 86400);
		free($3);
	}
	;

model_lines : %empty
	| model_lines NL
	| model_lines model_line NL
	| model_lines error NL	{ yyerrok; }
	;
model_line : PROVIDER WORD	{ conf_set(&p->model->provider, $2); free($2); }
	| NAME WORD		{ conf_set(&p->model->remote, $2); free($2); }
	| MAX TOKENS WORD {
		p->model->max_tokens = conf_number(p, $3, UNIT_NONE, 1,
		    10000000);
		free($3);
	}
	| WINDOW WORD {
		p->model->window = conf_number(p, $2, UNIT_NONE, 1024,
		    100000000);
		free($2);
	}
	;

agent_lines : %empty
	| agent_lines NL
	| agent_lines agent_line NL
	| agent_lines error NL	{ yyerrok; }
	;
agent_line : MODEL WORD		{ conf_set(&p->agent->model, $2); free($2); }
	| INSTRUCTIONS WORD {
		conf_set(&p->agent->instructions, $2);
		free($2);
	}
	| TOOLS	{
		p->agent->has_tools = 1;
		p->words = &p->agent->tools;
	} words
	;

profile_lines : %empty
	| profile_lines NL
	| profile_lines profile_line NL
	| profile_lines error NL	{ yyerrok; }
	;
profile_line : VERBS	{ p->words = &p->profile->verbs; } words
	| TOOLS		{ p->words = &p->profile->tools; } words
	| MODELS	{ p->words = &p->profile->models; } words
	| AGENTS	{ p->words = &p->profile->agents; } words
	| TOKENS WORD {
		p->profile->tokens = conf_number(p, $2, UNIT_NONE, 0,
		    INT64_MAX);
		free($2);
	}
	| RUNS WORD {
		p->profile->runs = conf_number(p, $2, UNIT_NONE, 1, 1000000);
		free($2);
	}
	| MEMORY WORD {
		p->profile->memory = conf_number(p, $2, UNIT_BYTES,
		    16 * 1024 * 1024, INT64_C(1) << 46);
		free($2);
	}
	| FSIZE WORD {
		p->profile->fsize = conf_number(p, $2, UNIT_BYTES, 0,
		    INT64_C(1) << 46);
		free($2);
	}
	| PIDS WORD {
		p->profile->pids = conf_number(p, $2, UNIT_NONE, 4, 65536);
		free($2);
	}
	| FILES WORD {
		p->profile->files = conf_number(p, $2, UNIT_NONE, 16, 65536);
		free($2);
	}
	| CPU WORD {
		p->profile->cpu = conf_number(p, $2, UNIT_SECONDS, 1, 1000000);
		free($2);
	}
	| WALL WORD {
		p->profile->wall = conf_number(p, $2, UNIT_SECONDS, 1,
		    100000000);
		free($2);
	}
	| OUTPUT WORD {
		p->profile->output = conf_number(p, $2, UNIT_BYTES, 4096,
		    CONF_OUTPUT_MAX);
		free($2);
	}
	| FRAME WORD {
		p->profile->frame = conf_number(p, $2, UNIT_BYTES, 256 * 1024,
		    4 * 1024 * 1024);
		free($2);
	}
	| CALLS WORD {
		p->profile->calls = conf_number(p, $2, UNIT_NONE, 1, 4096);
		free($2);
	}
	| LOG RATE WORD {
		p->profile->rate = conf_number(p, $3, UNIT_NONE, 1, 100000);
		free($3);
	}
	| DEPTH WORD {
		p->profile->depth = conf_number(p, $2, UNIT_NONE, 0, 4);
		free($2);
	}
	;

/* The lexer must know before it looks ahead. */
words	: '{' { p->in_words = 1; } word_list '}' ;
word_list : %empty
	| word_list NL
	| word_list ','
	| word_list WORD	{ conf_word_add(p, $2); free($2); }
	;

%%

static const struct {
	const char	*word;
	int		 token;
} keywords[] = {
	{ "agent", AGENT }, { "agents", AGENTS }, { "allow", ALLOW },
	{ "any", ANY_ }, { "broker", BROKER_ID }, { "canned", CANNED },
	{ "calls", CALLS }, { "cgroup", CGROUP }, { "connect", CONNECT },
	{ "control", CONTROL },
	{ "cpu", CPU }, { "credential", CREDENTIAL }, { "default", DEFAULT },
	{ "depth", DEPTH }, { "directory", DIRECTORY }, { "file", FILE_ },
	{ "files", FILES }, { "frame", FRAME }, { "fsize", FSIZE },
	{ "gateway", GATEWAY_ID },
	{ "group", GROUP }, { "idle", IDLE }, { "ids", IDS },
	{ "instructions", INSTRUCTIONS }, { "jail", JAIL },
	{ "jails", JAILS }, { "journal", JOURNAL },
	{ "keeper", KEEPER_ID }, { "key", KEY },
	{ "limit", LIMIT }, { "log", LOG }, { "max", MAX },
	{ "memory", MEMORY }, { "mode", MODE }, { "model", MODEL },
	{ "models", MODELS }, { "name", NAME }, { "openai", OPENAI },
	{ "output", OUTPUT },
	{ "pids", PIDS }, { "profile", PROFILE }, { "provider", PROVIDER },
	{ "queue", QUEUE }, { "rate", RATE }, { "recycle", RECYCLE },
	{ "retain", RETAIN },
	{ "rules", RULES },
	{ "runs", RUNS }, { "sandbox", SANDBOX_ID }, { "socket", SOCKET },
	{ "spares", SPARES },
	{ "state", STATE }, { "stderr", STDERR }, { "timeout", TIMEOUT },
	{ "tokens", TOKENS }, { "tools", TOOLS }, { "total", TOTAL },
	{ "type", TYPE }, { "url", URL }, { "user", USER },
	{ "verbs", VERBS }, { "wall", WALL }, { "window", WINDOW },
};

/*
 * In a list of words, and after a keyword that a name must follow, a keyword
 * is a word like any other. Quotes always make a word.
 */
static int
keyword_token(const char *word)
{
	size_t	i;

	for (i = 0; i < sizeof(keywords) / sizeof(keywords[0]); i++)
		if (strcmp(word, keywords[i].word) == 0)
			return (keywords[i].token);
	return (-1);
}

static int
conf_yylex(CONF_YYSTYPE *value, struct parser *p)
{
	int	c, token;

	switch (c = conf_lex(p)) {
	case LEX_END:
		return (END);
	case LEX_NEWLINE:
		p->want_name = 0;
		return (NL);
	case LEX_WORD:
		break;
	default:
		return (c);
	}
	if (!p->quoted && !p->in_words && !p->want_name &&
	    (token = keyword_token(p->token)) != -1) {
		p->want_name = token == PROVIDER || token == MODEL ||
		    token == AGENT || token == PROFILE;
		return (token);
	}
	p->want_name = 0;
	value->text = conf_strdup(p->token);
	return (WORD);
}

static void
conf_yyerror(struct parser *p, const char *text)
{
	conf_error(p, "%s", text);
}

/* "unknown word "foo"", and what could have stood there if that is short. */
static int
yyreport_syntax_error(const yypcontext_t *ctx, struct parser *p)
{
	yysymbol_kind_t	 expected[6];
	char		 list[256] = "";
	yysymbol_kind_t	 got = yypcontext_token(ctx);
	int		 i, n;

	n = yypcontext_expected_tokens(ctx, expected, 6);
	for (i = 0; i < n; i++) {
		(void)strlcat(list, i == 0 ? "; expected " : " or ",
		    sizeof(list));
		(void)strlcat(list, yysymbol_name(expected[i]), sizeof(list));
	}
	if (got == YYSYMBOL_NL || got == YYSYMBOL_YYEOF)
		conf_error(p, "the line ends too early%s", list);
	else
		conf_error(p, "%s \"%s\"%s", got == YYSYMBOL_WORD ?
		    "unknown word" : "misplaced", p->token, list);
	return (0);
}

struct conf *
conf_parse(FILE *in, const char *name, const struct conf_names *names,
    void (*report)(const char *, void *), void *ctx)
{
	struct parser	 p = {
		.in = in, .name = name, .line = 1, .names = names,
		.report = report, .ctx = ctx,
	};

	p.conf = conf_new();
	if (conf_yyparse(&p) != 0 && p.errors == 0)
		conf_error(&p, "can't be parsed");
	if (p.errors == 0)
		conf_check(&p);
	if (p.errors == 0)
		return (p.conf);
	conf_free(p.conf);
	return (NULL);
}

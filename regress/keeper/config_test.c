/*
 * The keeper's part of the configuration: what is taken, what is refused.
 */
#include <string.h>

#include "config.h"
#include "test.h"

static const struct {
	const char	*what, *body, *want;	/* want: in why; NULL: taken */
} cases[] = {
	{ "an empty object", "{}", NULL },
	{ "an array", "[]", "not an object" },
	{ "no runs at once", "{\"runs\": 0}", "runs" },
	{ "half a queue", "{\"queue\": 1.5}", "queue" },
	{ "a negative number to retain", "{\"retain\": -1}", "retain" },
	{ "a journal of less than nothing", "{\"journal\": -1}", "journal" },
	{ "models that are a list", "{\"models\": []}", "models" },
	{ "a model that is a text", "{\"models\": {\"m\": \"x\"}}", "m is" },
	{ "a model with a bad window",
	    "{\"models\": {\"m\": {\"window\": \"big\"}}}", "m is" },
	{ "an agent with a number for a model",
	    "{\"agents\": {\"a\": {\"model\": 1}}}", "a is" },
	{ "an agent with a tool that is a number",
	    "{\"agents\": {\"a\": {\"tools\": [1]}}}", "a is" },
	{ "an agent with nothing set", "{\"agents\": {\"a\": {\"model\": null,"
	    " \"instructions\": null, \"tools\": null}}}", NULL },
	{ "a default model that is a list", "{\"default_model\": []}",
	    "default_model" },
	{ "no default model", "{\"default_model\": null}", NULL },
};

static void
test_shapes(void)
{
	struct config	*c;
	json_t		*body;
	char		 why[128];
	size_t		 i;
	int		 ok;

	for (i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		body = json_loads(cases[i].body, 0, NULL);
		c = config_new(body, why, sizeof(why));
		ok = cases[i].want == NULL ? c != NULL :
		    c == NULL && strstr(why, cases[i].want) != NULL;
		test_case(ok, "%s is %s", cases[i].what,
		    cases[i].want == NULL ? "taken" : "refused");
		config_free(c);
		json_decref(body);
	}
}

static void
test_lookups(void)
{
	struct config		*c;
	struct model_conf	 model;
	struct agent_conf	 agent;
	json_t			*body;
	char			 why[128];

	body = json_loads("{\"models\": {\"m\": {\"max_tokens\": 5, "
	    "\"window\": 9}}, \"default_model\": \"m\", \"agents\": {\"a\": "
	    "{\"model\": \"m\", \"tools\": [\"read\"]}}}", 0, NULL);
	c = config_new(body, why, sizeof(why));
	json_decref(body);
	test_case(c != NULL && config_model(c, NULL, &model) == 0 &&
	    strcmp(model.name, "m") == 0 && model.window == 9,
	    "without a name it is the default model");
	test_case(config_model(c, "n", &model) == -1,
	    "a model that is not there is not found");
	test_case(config_agent(c, "a", &agent) == 0 &&
	    strcmp(agent.model, "m") == 0 && agent.instructions[0] == '\0' &&
	    json_array_size(agent.tools) == 1, "an agent is found");
	test_case(config_agent(c, "b", &agent) == -1,
	    "one that is not there is not");
	test_case(config_runs(c) > 0 && config_retain(c) > 0,
	    "what is not said has a default");
	config_free(c);
}

int
main(void)
{
	test_shapes();
	test_lookups();
	return (test_end());
}

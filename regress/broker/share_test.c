/*
 * What the clients of one user get all together, however many they are.
 */
#include <stdlib.h>
#include <string.h>

#include "fake.h"
#include "log.h"
#include "test.h"

#define CLIENTS	8

static void
ask(struct fake *client, uint32_t id)
{
	fake_send(client, IMSG_QUERY, id, -1, json_pack("{s:s, s:s}", "what",
	    "result", "run", "r1"), NULL);
}

/* The questions that the keeper has been asked; the last is *id. */
static int
asked(struct rig *rig, uint32_t *id)
{
	struct got	*g;
	int		 n = 0;

	for (; !fake_none(rig->keeper, IMSG_RUN_QUERY); n++)
		if ((g = fake_want(rig->keeper, IMSG_RUN_QUERY)) != NULL)
			*id = g->id;
	return (n);
}

static void
test_results(void)
{
	struct rig	*rig = rig_new(NULL);
	struct fake	*client[CLIENTS];
	uint32_t	 id = 0;
	int		 i, n;

	for (i = 0; i < CLIENTS; i++)
		client[i] = rig_client(rig);
	for (i = 0; i < CLIENTS; i++)
		ask(client[0], (uint32_t)i + 1);
	n = asked(rig, &id);
	test_case(n == 2, "%d results for one client: the keeper is asked for "
	    "%d at a time", CLIENTS, n);
	for (i = 1; i < CLIENTS; i++)
		ask(client[i], 1);
	n = asked(rig, &id);
	test_case(n == 4, "for %d clients more: for %d more", CLIENTS - 1, n);
	fake_send(rig->keeper, IMSG_ANSWER, id, -1, NULL, "{}");
	test_case(asked(rig, &id) == 1, "for another one when it has answered");
	for (i = 0; i < CLIENTS; i++)
		fake_close(client[i]);
	client[0] = rig_client(rig);
	ask(client[0], 1);
	test_case(asked(rig, &id) == 0,
	    "who hangs up and comes again gets no more");
	fake_close(rig->keeper);
	rig_channel(rig, "keeper", KEEPER, &rig->keeper);
	ask(client[0], 2);
	test_case(asked(rig, &id) == 1, "a new keeper owes nothing");
	rig_free(rig);
}

/* The rig's profile grants 4 runs. */
static void
test_submits(void)
{
	struct rig	*rig = rig_new(NULL);
	struct fake	*client[CLIENTS];
	struct got	*g;
	int		 i, added = 0, refused = 0;

	for (i = 0; i < CLIENTS; i++) {
		client[i] = rig_client(rig);
		fake_send(client[i], IMSG_SUBMIT, 1, -1, NULL,
		    "{\"source\":\"return 1\",\"args\":{}}");
	}
	for (; !fake_none(rig->keeper, IMSG_RUN_ADD); added++) {
		g = fake_want(rig->keeper, IMSG_RUN_ADD);
		if (got_int(g, "runs") != 4)
			break;
	}
	for (i = 0; i < CLIENTS; i++)
		refused += !fake_none(client[i], IMSG_REFUSED);
	test_case(added == 4 && refused == CLIENTS - 4, "%d submissions at once: %d are "
	    "passed on, with the limit, %d refused", CLIENTS, added, refused);
	rig_free(rig);
}

/* What the keeper alone has seen. */
static void
test_events(void)
{
	static const char *const	 kinds[] = { "state", "node.end",
					    "tool", "logs" };
	struct rig			*rig;
	struct fake			*jail;
	size_t				 i;

	for (i = 0; i < sizeof(kinds) / sizeof(kinds[0]); i++) {
		rig = rig_new(NULL);
		jail = rig_run(rig, "r1", 1);
		fake_send(jail, IMSG_SCRIPT_EVENT, 0, -1, json_pack(
		    "{s:s, s:i}", "kind", kinds[i], "n", 0), "{}");
		test_case(jail->peer == NULL && fake_none(rig->keeper,
		    IMSG_RUN_EVENT_ADD), "a script may not tell of \"%s\"",
		    kinds[i]);
		rig_free(rig);
	}
}

int
main(void)
{
	log_init("share_test", 0);
	test_results();
	test_submits();
	test_events();
	return (test_end());
}

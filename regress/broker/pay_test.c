/*
 * Model calls that wait for the run's budget.
 */
#include <stdlib.h>
#include <string.h>

#include "fake.h"
#include "log.h"
#include "test.h"

/* A run with 1000 tokens, and this many calls of 100 tokens and an answer of
 * at most 500: there is room for one. */
static struct rig *
begin(uint32_t calls)
{
	char		*config = rig_config(RIG_VERBS, "\"*\"", "\"*\"",
			    1000, 8);
	struct rig	*rig = rig_new(config);
	uint32_t	 id;

	free(config);
	test_case(rig_run(rig, "r1", 1) != NULL, "a run with a budget");
	for (id = 1; id <= calls; id++)
		fake_send(rig->keeper, IMSG_MODEL_CALL, id, -1, json_pack(
		    "{s:s, s:s, s:s, s:i, s:i}", "run", "r1", "node",
		    "/agent#0", "model", "m", "reserve", 600, "output", 500),
		    "{\"n\":1}");
	return (rig);
}

/* The next call comes to the gateway, may answer this much, costs used. */
static int
play(struct rig *rig, int64_t output, int used)
{
	struct got	*g = fake_want(rig->gateway, IMSG_MODEL_CALL);

	if (g == NULL || got_int(g, "output") != output ||
	    got_int(g, "reserve") != 100 + output ||
	    strcmp(g->body, "{\"n\":1}") != 0)
		return (0);
	fake_send(rig->gateway, IMSG_MODEL_DONE, g->id, -1, json_pack(
	    "{s:s, s:s, s:i, s:i}", "run", "r1", "finish", "stop",
	    "tokens_in", used, "tokens_out", 0), "{}");
	return (1);
}

static int
done(struct rig *rig, uint32_t id)
{
	struct got	*g = fake_want(rig->keeper, IMSG_MODEL_DONE);

	return (g != NULL && g->id == id);
}

static void
cancel(struct rig *rig, uint32_t id)
{
	fake_send(rig->keeper, IMSG_MODEL_CANCEL, id, -1, json_pack("{s:s}",
	    "run", "r1"), NULL);
}

static void
test_order(void)
{
	struct rig	*rig = begin(4);
	struct got	*g;

	rig_pump(rig);
	test_case(fake_none(rig->keeper, IMSG_MODEL_FAIL),
	    "calls that do not fit at once wait, and are not refused");
	test_case(play(rig, 500, 150) && done(rig, 1) &&
	    play(rig, 500, 400) && done(rig, 2),
	    "they are sent in their order as others settle");
	test_case(play(rig, 350, 200) && done(rig, 3),
	    "when little is left the answer is to be shorter");
	g = fake_want(rig->keeper, IMSG_MODEL_FAIL);
	test_case(g != NULL && g->id == 4 && strcmp(got_str(g, "class"),
	    "budget") == 0 && strstr(got_str(g, "message"), " 1000 tokens "
	    "does not cover this call: 750 are spent, and it needs 356 ") !=
	    NULL, "what has waited in vain is refused: %s",
	    g == NULL ? "" : got_str(g, "message"));
	rig_free(rig);
}

static void
test_end_of_run(void)
{
	struct rig	*rig = begin(4);

	test_case(fake_want(rig->gateway, IMSG_MODEL_CALL) != NULL,
	    "a call, and three that wait");
	cancel(rig, 2);
	test_case(fake_none(rig->gateway, IMSG_MODEL_CANCEL),
	    "one that waits is cancelled without the gateway");
	test_case(fake_none(rig->keeper, IMSG_MODEL_FAIL),
	    "and has cost nothing");
	cancel(rig, 1);
	test_case(fake_want(rig->gateway, IMSG_MODEL_CANCEL) != NULL &&
	    fake_want(rig->gateway, IMSG_MODEL_CALL) != NULL,
	    "one that is sent makes room for the next");
	say_run_end(rig, "r1");
	test_case(fake_want(rig->gateway, IMSG_MODEL_CANCEL) != NULL &&
	    fake_none(rig->gateway, IMSG_MODEL_CALL) &&
	    pending_count(rig->broker->pendings) == 0,
	    "with the run what waits is forgotten, and not sent");
	rig_free(rig);
}

/* 40 bytes of the answer have been seen. */
static void
test_withdrawn(void)
{
	struct rig	*rig = begin(1);
	struct got	*g = fake_want(rig->gateway, IMSG_MODEL_CALL);
	struct budget	*budget;

	fake_send(rig->gateway, IMSG_MODEL_DELTA, g->id, -1,
	    json_pack("{s:s}", "run", "r1"),
	    "{\"text\":\"0123456789012345678901234567890123456789\"}");
	cancel(rig, 1);
	budget = &run_scope(run_find(rig->broker, "r1"))->budget;
	g = fake_want(rig->keeper, IMSG_MODEL_FAIL);
	test_case(g != NULL && g->id == 1 &&
	    strcmp(got_str(g, "class"), "cancelled") == 0 &&
	    got_int(g, "tokens_in") == 100 && got_int(g, "tokens_out") == 10 &&
	    budget->spent == 110 && budget->reserved == 0,
	    "a call that is withdrawn costs its question and what was seen "
	    "of its answer");
	rig_free(rig);
}

static void
test_gateway(void)
{
	struct rig	*rig = begin(3);
	struct got	*g;
	int		 failed = 0;

	test_case(fake_want(rig->gateway, IMSG_MODEL_CALL) != NULL,
	    "a call, and two that wait");
	fake_close(rig->gateway);
	while (failed < 3 &&
	    (g = fake_want(rig->keeper, IMSG_MODEL_FAIL)) != NULL &&
	    strcmp(got_str(g, "class"), "transient") == 0)
		failed++;
	test_case(failed == 3 && pending_count(rig->broker->pendings) == 0 &&
	    run_scope(run_find(rig->broker, "r1"))->budget.reserved == 0,
	    "the gateway dies: all three are worth another try");
	rig_free(rig);
}

/* The numbers of our questions are known to the gateway, but not which of
 * them it has not been asked. */
static void
test_gateway_lies(void)
{
	struct rig	*rig = begin(2);
	struct got	*g = fake_want(rig->gateway, IMSG_MODEL_CALL);

	fake_send(rig->gateway, IMSG_MODEL_DONE, g->id + 1, -1, json_pack(
	    "{s:s, s:s, s:i, s:i}", "run", "r1", "finish", "stop",
	    "tokens_in", 1, "tokens_out", 0), "{}");
	rig_pump(rig);
	test_case(rig->broker->gateway == NULL && fake_none(rig->keeper,
	    IMSG_MODEL_DONE), "a gateway that answers what it was not asked "
	    "is dropped");
	rig_free(rig);
}

int
main(void)
{
	log_init("pay_test", 0);
	test_order();
	test_withdrawn();
	test_end_of_run();
	test_gateway();
	test_gateway_lies();
	return (test_end());
}

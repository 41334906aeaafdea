/*
 * The canned model as a provider: it answers from its rules, after a delay.
 */
#include <string.h>
#include <stdlib.h>

#include "log.h"
#include "provider.h"
#include "question.h"

struct canned_work {
	struct call		*call;
	struct event		*timer;
	struct canned_answer	 answer;
};

static void
work_free(struct canned_work *w)
{
	if (w->timer != NULL)
		event_free(w->timer);
	json_decref(w->answer.message);
	json_decref(w->answer.partial);
	free(w);
}

static void
deliver_failure(struct canned_work *w)
{
	const json_t	*partial = w->answer.partial;

	if (partial != NULL)
		call_delta(w->call, json_string_value(partial),
		    json_string_length(partial));
	w->answer.failure.tokens_in = question_tokens(w->call->body);
	call_fail(w->call, &w->answer.failure);
}

static void
deliver_message(struct canned_work *w)
{
	const json_t	*content;
	struct usage	 usage;

	content = json_object_get(w->answer.message, "content");
	if (json_is_string(content))
		call_delta(w->call, json_string_value(content),
		    json_string_length(content));
	usage.in = question_tokens(w->call->body);
	usage.out = message_tokens(w->answer.message);
	call_done(w->call, json_incref(w->answer.message), w->answer.finish,
	    &usage, NULL);
}

static void
deliver(int fd, short what, void *arg)
{
	struct canned_work	*w = arg;

	(void)fd;
	(void)what;
	if (w->answer.message == NULL)
		deliver_failure(w);
	else
		deliver_message(w);
	work_free(w);
}

static void
ask_rules(struct provider *p, struct call *call, struct canned_answer *a)
{
	struct canned_question	q;

	if (p->rules == NULL) {
		memset(a, 0, sizeof(*a));
		failure_set(&a->failure, FAIL_FATAL, "canned provider %s: %s",
		    p->config->name, p->rules_error == NULL ?
		    "it has no rules" : p->rules_error);
		return;
	}
	q.model = call->model;
	q.body = call->body;
	q.attempt = attempts_count(p->attempts, call->run, call->node,
	    json_array_size(json_object_get(call->body, "messages")));
	canned_answer(p->rules, &q, a);
}

static void
canned_start(struct provider *p, struct call *call)
{
	struct canned_work	*w;
	struct failure		 failure;
	struct timeval		 tv;

	if ((w = calloc(1, sizeof(*w))) == NULL ||
	    (w->timer = event_new(p->base, -1, 0, deliver, w)) == NULL) {
		free(w);
		failure_set(&failure, FAIL_TRANSIENT, "canned: out of memory");
		call_fail(call, &failure);
		return;
	}
	w->call = call;
	call->work = w;
	ask_rules(p, call, &w->answer);
	tv.tv_sec = w->answer.delay / 1000;
	tv.tv_usec = w->answer.delay % 1000 * 1000;
	if (event_add(w->timer, &tv) == -1)
		fatalx("event_add");
}

static void
canned_cancel(struct call *call)
{
	work_free(call->work);
}

const struct provider_ops canned_ops = { canned_start, canned_cancel };

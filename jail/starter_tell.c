/*
 * What a starter tells the warden.
 */
#include <sys/uio.h>

#include <errno.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>

#include "canary.h"
#include "log.h"
#include "starter_impl.h"

/* Wait until the socket has taken all: the starter has nothing better to do. */
static void
starter_flush(struct starter *st)
{
	struct pollfd	pfd = { .fd = st->ibuf.fd, .events = POLLOUT };

	while (imsgbuf_write(&st->ibuf) == 0) {
		if (st->ibuf.queued == 0)
			return;
		if (poll(&pfd, 1, -1) == -1 && errno != EINTR)
			fatal("poll");
	}
	fatal("warden is gone");
}

void
starter_send(struct starter *st, uint32_t type, int fd, json_t *env)
{
	struct iovec	 iov;
	char		*text;

	if (env == NULL || (text = json_dumps(env, JSON_COMPACT)) == NULL)
		fatalx("message %#x: can't be encoded", type);
	iov.iov_base = text;
	iov.iov_len = strlen(text);
	if (imsg_composev(&st->ibuf, type, 0, fd, &iov, 1) == -1)
		fatal("message %#x", type);
	starter_flush(st);
	free(text);
	json_decref(env);
}

void
starter_unmade(struct starter *st, const struct jail *j, const char *step,
    const char *error)
{
	log_warnx("jail %lld: step %s: %s", (long long)j->number, step, error);
	starter_send(st, IMSG_JAIL_UNMADE, -1, json_pack("{s:I,s:s,s:s}",
	    "jail", (json_int_t)j->number, "step", step, "error", error));
}

void
starter_tell(struct starter *st, uint32_t type, const struct jail *j, int fd)
{
	starter_send(st, type, fd, json_pack("{s:I}", "jail",
	    (json_int_t)j->number));
}

void
starter_rows(struct starter *st, const struct jail *j, int status)
{
	const enum jail_kind	 kind = st->ops->kind;
	const struct attempt	*a;
	struct canary_row	 row;
	char			 layers[160];
	size_t			 count = 0, n;

	while (attempt_at(kind, count) != NULL)
		count++;
	for (n = 0; n < count; n++) {
		if (canary_row(j->canary, kind, n, status, &row) == -1)
			continue;
		a = attempt_at(kind, n);
		canary_layers(a, kind, layers, sizeof(layers));
		starter_send(st, IMSG_CANARY_ROW, -1, json_pack(
		    "{s:I,s:I,s:I,s:s,s:b,s:s,s:s}",
		    "jail", (json_int_t)j->number, "row", (json_int_t)n,
		    "rows", (json_int_t)count, "name", a->name,
		    "open", row.open, "how", row.how, "layers", layers));
	}
}

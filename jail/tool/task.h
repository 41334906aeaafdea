/*
 * A call in the server: waiting for its turn, then its process and what that
 * has answered.
 */
#ifndef TASK_H
#define TASK_H

#include <sys/queue.h>
#include <sys/types.h>

#include <stddef.h>
#include <stdint.h>

#include "serve.h"

/* The first byte of an answer; the rest is its JSON. */
#define TASK_OK		'+'
#define TASK_FAILED	'-'

enum task_state {
	TASK_WAITS,
	TASK_RUNS,	/* and its own end is its answer */
	TASK_CANCELLED,
	TASK_LATE,
	TASK_FULL,	/* it filled the disk */
};

struct task {
	TAILQ_ENTRY(task)	 entry;
	uint32_t		 id;		/* the call's peerid */
	enum task_state		 state;
	const struct op		*op;
	json_t			*input;
	int64_t			 timeout;	/* from its start, 0: none */
	size_t			 output;	/* bytes that it may answer with */
	pid_t			 pid;
	int			 fd;		/* its answer, or -1 */
	int64_t			 deadline;	/* 0 for none */
	int			 had_room;	/* on the disk, when it began */
	struct toll		 toll;		/* limits, when it began */
	char			*data;
	size_t			 len, size;
};
TAILQ_HEAD(tasks, task);

/* A call that waits, at the end of the list. Takes a reference on input.
 * NULL with errno set. */
struct task	*task_new(struct tasks *, uint32_t id, const struct op *,
		    json_t *input, int64_t timeout, int64_t output);
/* Start it, whose toll has begun, in a process of its own. Returns 0, or -1
 * with errno set. */
int	 task_start(struct task *) __attribute__((warn_unused_result));
/* Read what the call has answered so far. */
void	 task_read(struct task *);
void	 task_free(struct tasks *, struct task *);

struct task	*task_find_pid(struct tasks *, pid_t);
struct task	*task_find_id(struct tasks *, uint32_t);

#endif

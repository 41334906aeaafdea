/*
 * The machine that runs a pattern: all threads in step, one character at a
 * time, each place of the program at most once. So the time is at most the
 * text times the program, whatever the pattern.
 */
#include <ctype.h>
#include <stdlib.h>

#include "pattern_code.h"
#include "utf8.h"

struct threads {
	int	n;
	short	pc[PATTERN_CODE_MAX];
};

struct machine {
	const struct pattern	*p;
	const char		*text, *at, *end;
	uint32_t		 previous, current;	/* 0 past either end */
	unsigned		 mark;
	unsigned		 seen[PATTERN_CODE_MAX];
	short			 stack[2 * PATTERN_CODE_MAX];
	struct threads		 lists[2];
};

uint32_t
pattern_utf8(const char **at, const char *end)
{
	uint32_t	c;

	if (*at >= end)
		return (0);
	*at += utf8_decode(*at, (size_t)(end - *at), &c);
	return (c);
}

static int
is_word(uint32_t c)
{
	return (c < 128 && (isalnum((int)c) || c == '_'));
}

static int
in_set(const struct pattern *p, const struct insn *in, uint32_t c)
{
	int	i;

	for (i = in->a; i < in->a + in->b; i++)
		if (c >= p->ranges[i].lo && c <= p->ranges[i].hi)
			return (1);
	return (0);
}

/* Does a condition on the place hold here? */
static int
holds(const struct machine *m, enum op op)
{
	int	edge = is_word(m->previous) != is_word(m->current);

	if (op == OP_BEGIN)
		return (m->at == m->text);
	if (op == OP_END)
		return (m->at == m->end);
	return (edge == (op == OP_WORD));
}

/* Follow pc through all that takes no character. 1 if that ends in a match. */
static int
thread_add(struct machine *m, struct threads *list, int pc)
{
	const struct insn	*in;
	int			 top = 0;

	m->stack[top++] = (short)pc;
	while (top > 0) {
		pc = m->stack[--top];
		if (m->seen[pc] == m->mark)
			continue;
		m->seen[pc] = m->mark;
		in = &m->p->code[pc];
		switch (in->op) {
		case OP_MATCH:
			return (1);
		case OP_JUMP:
			m->stack[top++] = (short)(pc + in->a);
			break;
		case OP_SPLIT:
			m->stack[top++] = (short)(pc + in->b);
			m->stack[top++] = (short)(pc + in->a);
			break;
		case OP_BEGIN:
		case OP_END:
		case OP_WORD:
		case OP_NOTWORD:
			if (holds(m, in->op))
				m->stack[top++] = (short)(pc + 1);
			break;
		case OP_CHAR:
		case OP_ANY:
		case OP_SET:
		case OP_NOTSET:
			list->pc[list->n++] = (short)pc;
			break;
		}
	}
	return (0);
}

static int
takes(const struct pattern *p, const struct insn *in, uint32_t c)
{
	switch (in->op) {
	case OP_CHAR:
		return (c == (uint32_t)in->a);
	case OP_ANY:
		return (c != '\n' && c != '\r');
	case OP_SET:
		return (in_set(p, in, c));
	case OP_NOTSET:
		return (!in_set(p, in, c));
	case OP_SPLIT:
	case OP_JUMP:
	case OP_BEGIN:
	case OP_END:
	case OP_WORD:
	case OP_NOTWORD:
	case OP_MATCH:
		break;
	}
	return (0);
}

/* Look at the place behind the current character; its threads get a mark. */
static uint32_t
machine_step(struct machine *m, const char **next)
{
	uint32_t	taken = m->current;
	const char	*after;

	m->previous = m->current;
	m->at = *next;
	after = *next;
	m->current = pattern_utf8(&after, m->end);
	*next = after;
	m->mark++;
	return (taken);
}

static int
machine_run(struct machine *m, size_t *work)
{
	struct threads	*now = &m->lists[0], *then = &m->lists[1], *swap;
	const char	*next = m->text;
	uint32_t	 taken;
	int		 i, last;

	(void)machine_step(m, &next);
	for (;;) {
		if (thread_add(m, now, 0))
			return (1);
		if (m->at == m->end)
			return (0);
		if (*work < (size_t)now->n + 1)
			return (-1);
		*work -= (size_t)now->n + 1;
		last = now->n;
		taken = machine_step(m, &next);
		then->n = 0;
		for (i = 0; i < last; i++)
			if (takes(m->p, &m->p->code[now->pc[i]], taken) &&
			    thread_add(m, then, now->pc[i] + 1))
				return (1);
		swap = now;
		now = then;
		then = swap;
	}
}

int
pattern_match(const struct pattern *p, const char *text, size_t n,
    size_t *work)
{
	struct machine	*m;
	int		 found;

	if ((m = calloc(1, sizeof(*m))) == NULL)
		return (-1);
	m->p = p;
	m->text = text;
	m->end = text + n;
	found = machine_run(m, work);
	free(m);
	return (found);
}

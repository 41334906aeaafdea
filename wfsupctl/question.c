#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <termios.h>
#include <unistd.h>

#include "failure.h"
#include "question.h"

/* Ctrl-D, where a terminal gives every key at once. */
#define KEY_EOF		4

struct question {
	int		 tty;
	struct termios	 before;
	char		 run[41];
};

static void
put(const struct question *q, const char *text)
{
	/* If the terminal is gone, reading the answer fails as well. */
	(void)!write(q->tty, text, strlen(text));
}

static void
prompt(const struct question *q)
{
	put(q, "Press l to leave it running, c to cancel it, f to go on "
	    "following: ");
}

static void
ask(const struct question *q)
{
	char	text[80];

	snprintf(text, sizeof(text), "\nRun %s goes on.\n", q->run);
	put(q, text);
	prompt(q);
}

/*
 * One key is enough, and none that was typed before the question is its
 * answer. Signals from the keyboard stay what they are.
 */
static int
take_keys(const struct question *q)
{
	struct termios	keys = q->before;

	keys.c_lflag &= ~(tcflag_t)(ICANON | ECHO);
	keys.c_cc[VMIN] = 1;
	keys.c_cc[VTIME] = 0;
	return (tcsetattr(q->tty, TCSAFLUSH, &keys));
}

struct question *
question_open(const char *run)
{
	struct question	*q;

	if ((q = calloc(1, sizeof(*q))) == NULL)
		oom();
	snprintf(q->run, sizeof(q->run), "%s", run);
	q->tty = open("/dev/tty", O_RDWR | O_CLOEXEC | O_NOCTTY);
	/* A job in the background would be stopped. */
	if (q->tty == -1 || tcgetpgrp(q->tty) != getpgrp() ||
	    tcgetattr(q->tty, &q->before) == -1 || take_keys(q) == -1) {
		if (q->tty != -1)
			close(q->tty);
		free(q);
		return (NULL);
	}
	ask(q);
	return (q);
}

void
question_close(struct question *q)
{
	if (q == NULL)
		return;
	put(q, "\n");
	/* In the background, or without a terminal, it is not ours to set. */
	if (tcgetpgrp(q->tty) == getpgrp())
		(void)tcsetattr(q->tty, TCSADRAIN, &q->before);
	close(q->tty);
	free(q);
}

int
question_fd(const struct question *q)
{
	return (q != NULL ? q->tty : -1);
}

static enum question_answer
answer_of(char key)
{
	switch (key) {
	case 'l':
	case 'L':
	case KEY_EOF:
		return (ANSWER_LEAVE);
	case 'c':
	case 'C':
		return (ANSWER_CANCEL);
	case 'f':
	case 'F':
		return (ANSWER_FOLLOW);
	default:
		return (ANSWER_NONE);
	}
}

enum question_answer
question_read(struct question *q)
{
	enum question_answer	answer;
	char			keys[64];
	ssize_t			n;

	/* Keys that send several bytes are no answer, whatever follows. */
	if ((n = read(q->tty, keys, sizeof(keys))) == -1)
		return (errno == EINTR || errno == EAGAIN ? ANSWER_NONE :
		    ANSWER_LEAVE);
	if (n == 0)		/* the terminal is gone */
		return (ANSWER_LEAVE);
	answer = answer_of(keys[0]);
	if (answer == ANSWER_NONE) {
		put(q, "\n");
		prompt(q);
	} else if (keys[0] != KEY_EOF)
		(void)!write(q->tty, keys, 1);
	return (answer);
}

void
question_again(struct question *q)
{
	if (tcgetpgrp(q->tty) == getpgrp() && take_keys(q) == 0)
		ask(q);
}

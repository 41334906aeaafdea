#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "question.h"

static void
put(int tty, const char *text)
{
	/* If the terminal is gone, reading the answer fails as well. */
	(void)!write(tty, text, strlen(text));
}

static void
prompt(int tty)
{
	put(tty, "[l]eave it running, [c]ancel it, or go on [f]ollowing? ");
}

int
question_open(const char *run)
{
	char	text[80];
	int	tty;

	if ((tty = open("/dev/tty", O_RDWR | O_CLOEXEC | O_NOCTTY)) == -1)
		return (-1);
	snprintf(text, sizeof(text), "\nRun %.40s goes on. ", run);
	put(tty, text);
	prompt(tty);
	return (tty);
}

enum question_answer
question_read(int tty)
{
	char	line[256];
	ssize_t	n;

	if ((n = read(tty, line, sizeof(line))) == -1)
		return (errno == EINTR || errno == EAGAIN ? ANSWER_NONE :
		    ANSWER_LEAVE);
	if (n == 0)		/* Ctrl-D, or the terminal is gone */
		return (ANSWER_LEAVE);
	switch (line[0]) {
	case 'l':
	case 'L':
		return (ANSWER_LEAVE);
	case 'c':
	case 'C':
		return (ANSWER_CANCEL);
	case 'f':
	case 'F':
		return (ANSWER_FOLLOW);
	default:
		prompt(tty);
		return (ANSWER_NONE);
	}
}

/*
 * What Ctrl-C asks on the terminal.
 */
#ifndef QUESTION_H
#define QUESTION_H

enum question_answer { ANSWER_NONE, ANSWER_LEAVE, ANSWER_CANCEL,
    ANSWER_FOLLOW };

/* Ask. Returns the terminal to poll, or -1 if there is none to ask on. */
int			 question_open(const char *run);
/* Read what was typed; asks again if it is no answer. */
enum question_answer	 question_read(int tty);

#endif

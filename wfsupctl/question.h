/*
 * What Ctrl-C asks on the terminal: answered by one key.
 */
#ifndef QUESTION_H
#define QUESTION_H

enum question_answer { ANSWER_NONE, ANSWER_LEAVE, ANSWER_CANCEL,
    ANSWER_FOLLOW };

struct question;

/* Ask. Returns NULL if there is no terminal to ask on, or it is another
 * job's. question_close() gives the terminal back as it was. */
struct question		*question_open(const char *run);
void			 question_close(struct question *);
/* The terminal to poll; -1 if nothing is asked. */
int			 question_fd(const struct question *);
/* Take the key; asks again if it is no answer. */
enum question_answer	 question_read(struct question *);
/* The process was stopped, and a shell has had the terminal: ask again. */
void			 question_again(struct question *);

#endif

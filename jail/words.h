/*
 * A jail's last words: why it is about to die, left in a page that it shares
 * with its starter. Only for the record: whatever a jail writes there, it is
 * dead by the time that somebody reads it.
 */
#ifndef WORDS_H
#define WORDS_H

#include <stddef.h>

struct words;

/* In the starter, before the jail is cloned. NULL with errno set. */
struct words	*words_new(void);
void		 words_free(struct words *);
/* In the starter, after: the page is this jail's and not for later ones,
 * which would share it with this one. */
int		 words_keep(struct words *) __attribute__((warn_unused_result));

/*
 * In the jail: handle the signals of a forbidden system call (a filter's
 * TRAP) and of the CPU limit, by writing them down and dying of SIGSYS.
 * Returns 0, or -1 with errno set.
 */
int	 words_listen(struct words *) __attribute__((warn_unused_result));

/* In the jail: there is not even the memory to say so to the broker. Die of
 * it as of a signal above; returns if nobody listens. */
void	 words_memory(void);

/* In the starter, when the jail is dead: "cpu", "oom", "signal ABRT",
 * "syscall NAME", or NULL. The text is lent until the next call. */
const char	*words_said(const struct words *);

#endif

/*
 * What a run's state is called, how it exits, and why its jail died: pure.
 */
#ifndef RUN_STATE_H
#define RUN_STATE_H

#include <stddef.h>
#include <stdint.h>

/* The numbers are in the store: they never change their meaning. */
enum run_phase {
	PHASE_QUEUED	= 0,	/* waits for its turn */
	PHASE_ACTIVE	= 1,	/* has a jail, or is to get one */
	PHASE_ENDED	= 2,
};

enum run_state {
	STATE_QUEUED,
	STATE_RUNNING,
	STATE_WAITING,
	STATE_COMPLETED,
	STATE_HOLES,		/* completed_with_failures */
	STATE_FAILED,
	STATE_CANCELLED,
};

struct run_facts {
	enum run_phase	 phase;
	int		 waiting;	/* on a named thing */
	int		 cancelled;	/* ended by request */
	int		 failed;	/* ended by an error */
	int64_t		 failures;	/* branches that left a hole */
};

enum run_state	 run_state(const struct run_facts *);
const char	*run_state_name(enum run_state);

/* Who found that a run has failed: a script can say of itself only what
 * belongs to it. */
enum blamer { BY_SCRIPT, BY_KEEPER };

/* The CLI's exit code of an ended run. class and cause are its error's, NULL
 * without, or if they are a script's that the record does not bear out. */
int	 exit_code(enum run_state, enum blamer, const char *class,
	    const char *cause);

/*
 * A script jail's death as an error: JAIL_EXIT's cause, split into the class
 * and the short cause of the error, and a sentence for people.
 */
struct death {
	const char	*class;
	char		 cause[64];
	char		 message[400];
};
void	 jail_death(const char *cause, struct death *);

/* May a user with so many active runs have one of the slots that are left?
 * Nobody gets the last ones: three quarters at most. */
int	 run_may_start(int64_t active, int64_t slots);

#endif

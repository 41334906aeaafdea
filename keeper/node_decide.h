/*
 * What to do with a node that is asked for, or found running after a
 * restart: pure.
 */
#ifndef NODE_DECIDE_H
#define NODE_DECIDE_H

/* The numbers are in the store: they never change their meaning. */
enum node_state {
	NODE_NONE	= 0,	/* no row: never asked for */
	NODE_RUNNING	= 1,
	NODE_SETTLED	= 2,
	NODE_CANCELLED	= 3,	/* the script stopped waiting */
};

enum node_kind { KIND_AGENT, KIND_TOOL, KIND_SLEEP, KIND_UNKNOWN };

enum node_kind	 node_kind(const char *name);

enum ask_verdict {
	ASK_START,		/* record it and run it */
	ASK_RECORDED,		/* answer from the record */
	ASK_ATTACH,		/* it is running: the answer will come */
	ASK_RESTART,		/* run it once more */
	ASK_LOST,		/* outcome unknown, and not to be repeated */
	ASK_DIFFERS,		/* the script is not deterministic */
};

/*
 * A node is asked for. repeatable: its body may run a second time.
 *
 * same_digest is what the script's process says, which computes the digest of
 * what it asks: nobody does that again, nor could a lie be told from another
 * input with that digest. It need not be: a record is looked for by run and
 * path, and no other run ever looks at it. Who lies is told the outcomes that
 * its own run was told before, or ends its own run. What runs is the input
 * that is recorded, which was judged, whatever its digest.
 */
enum ask_verdict	 ask_decide(enum node_state, int same_digest,
			    int repeatable);

enum recover_verdict {
	RECOVER_AGENT,		/* hand it to the turn loop */
	RECOVER_TIMER,		/* arm what is left of its time */
	RECOVER_WAIT,		/* run it again once it is asked for */
	RECOVER_LOST,		/* outcome unknown, and not to be repeated */
};

/* A node is found running after a restart. */
enum recover_verdict	 recover_decide(enum node_kind, int repeatable);

#endif

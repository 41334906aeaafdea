/*
 * The processes that descend from one, wherever setsid(2) took them.
 */
#ifndef TREE_H
#define TREE_H

#include <sys/types.h>

/* Send a signal to all that descend from root; root itself is left out. */
void	 tree_signal(pid_t root, int sig);
/*
 * Kill all that descend from root, and root too if with_root. None is missed
 * for forking meanwhile: all are stopped before the first is killed. Where
 * /proc can't be mounted none is found.
 */
void	 tree_kill(pid_t root, int with_root);

/*
 * Kill the children of this process that keep() does not want, with all that
 * descends from them: what a call left behind whose own process died before
 * it could kill them.
 */
void	 tree_kill_strays(int (*keep)(pid_t, void *), void *ctx);

#endif

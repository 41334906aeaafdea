/*
 * A tree of processes by way of /proc. A call's process is a subreaper, so
 * that whatever loses its parent stays in the tree.
 */
#include <sys/wait.h>

#include <dirent.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "tree.h"

/* More rounds than a fork bomb within its pid limit can last. */
#define ROUNDS	100

struct proc {
	pid_t	pid, parent;
	int	in;		/* belongs to the tree */
	int	stopped;
};

struct table {
	struct proc	*procs;
	size_t		 n, size;
};

/* The parent of pid, or -1. Field 4 of stat, after a name in parentheses
 * that may itself hold parentheses and spaces. */
static pid_t
proc_parent(pid_t pid)
{
	char	 path[32], line[512], *paren;
	ssize_t	 n;
	int	 fd, parent;

	(void)snprintf(path, sizeof(path), "/proc/%d/stat", (int)pid);
	if ((fd = open(path, O_RDONLY | O_CLOEXEC)) == -1)
		return (-1);
	n = read(fd, line, sizeof(line) - 1);
	(void)close(fd);
	if (n <= 0)
		return (-1);
	line[n] = '\0';
	if ((paren = strrchr(line, ')')) == NULL ||
	    sscanf(paren + 1, " %*c %d", &parent) != 1)
		return (-1);
	return ((pid_t)parent);
}

static void
table_add(struct table *t, pid_t pid, pid_t parent)
{
	struct proc	*grown;

	if (t->n == t->size) {
		grown = reallocarray(t->procs, t->size + 64, sizeof(*grown));
		if (grown == NULL)
			return;		/* the next round finds it */
		t->procs = grown;
		t->size += 64;
	}
	t->procs[t->n++] = (struct proc){ .pid = pid, .parent = parent };
}

static int
table_read(struct table *t)
{
	struct dirent	*d;
	DIR		*dir;
	pid_t		 pid, parent;

	t->n = 0;
	if ((dir = opendir("/proc")) == NULL)
		return (-1);
	while ((d = readdir(dir)) != NULL) {
		pid = (pid_t)strtol(d->d_name, NULL, 10);
		if (pid > 0 && (parent = proc_parent(pid)) != -1)
			table_add(t, pid, parent);
	}
	(void)closedir(dir);
	return (0);
}

static int
table_has(const struct table *t, pid_t pid)
{
	size_t	i;

	for (i = 0; i < t->n; i++)
		if (t->procs[i].in && t->procs[i].pid == pid)
			return (1);
	return (0);
}

/* Mark what descends from root: again, until nothing new is found. */
static void
table_mark(struct table *t, pid_t root)
{
	size_t	i, found;

	do {
		found = 0;
		for (i = 0; i < t->n; i++)
			if (!t->procs[i].in && (t->procs[i].parent == root ||
			    table_has(t, t->procs[i].parent))) {
				t->procs[i].in = 1;
				found++;
			}
	} while (found > 0);
}

static size_t
table_signal(const struct table *t, int sig)
{
	size_t	i, n = 0;

	for (i = 0; i < t->n; i++)
		if (t->procs[i].in && kill(t->procs[i].pid, sig) == 0)
			n++;
	return (n);
}

void
tree_signal(pid_t root, int sig)
{
	struct table	t = { NULL, 0, 0 };

	if (table_read(&t) == 0) {
		table_mark(&t, root);
		(void)table_signal(&t, sig);
	}
	free(t.procs);
}

void
tree_kill(pid_t root, int with_root)
{
	struct table	t = { NULL, 0, 0 };
	size_t		before = 0, now, i;

	if (with_root)
		(void)kill(root, SIGSTOP);
	for (i = 0; i < ROUNDS && table_read(&t) == 0; i++) {
		table_mark(&t, root);
		/* As many as before the last stop: nobody forked since. */
		if ((now = table_signal(&t, SIGSTOP)) == before)
			break;
		before = now;
	}
	(void)table_signal(&t, SIGKILL);
	if (with_root)
		(void)kill(root, SIGKILL);
	free(t.procs);
}

/* A child of ours that is not wanted, or -1. */
static pid_t
stray(struct table *t, int (*keep)(pid_t, void *), void *ctx)
{
	pid_t	self = getpid();
	size_t	i;

	if (table_read(t) == -1)
		return (-1);
	for (i = 0; i < t->n; i++)
		if (t->procs[i].parent == self &&
		    !keep(t->procs[i].pid, ctx))
			return (t->procs[i].pid);
	return (-1);
}

void
tree_kill_strays(int (*keep)(pid_t, void *), void *ctx)
{
	struct table	t = { NULL, 0, 0 };
	pid_t		pid;
	size_t		i;

	/* What a stray forks and leaves comes to us: look again. */
	for (i = 0; i < ROUNDS && (pid = stray(&t, keep, ctx)) != -1; i++) {
		tree_kill(pid, 1);
		(void)waitpid(pid, NULL, 0);
	}
	free(t.procs);
}

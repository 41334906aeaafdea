/*
 * What this host can do for jails, in words that an administrator can act
 * on: most of it as the launcher has tried it.
 */
#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "log.h"
#include "supervisor.h"

static void
row_send(const struct host_row *row, struct peer *broker)
{
	peer_send(broker, IMSG_HOST_ROW, 0, -1, json_pack("{s:s,s:b,s:s}",
	    "name", row->name, "ok", row->ok, "text", row->text), NULL, 0);
}

void
host_send(const struct supervisor *sup, struct peer *broker)
{
	int	i;

	for (i = 0; i < sup->nrows; i++)
		row_send(&sup->rows[i], broker);
}

void
host_row(struct supervisor *sup, const char *name, int ok, const char *fmt,
    ...)
{
	const struct child	*broker = &sup->children[CHILD_BROKER];
	struct host_row		*row = sup->rows;
	va_list			 ap;

	while (row < sup->rows + sup->nrows && strcmp(row->name, name) != 0)
		row++;
	if (row == sup->rows + HOST_ROWS)
		fatalx("host_row");
	if (row == sup->rows + sup->nrows)
		sup->nrows++;
	(void)snprintf(row->name, sizeof(row->name), "%s", name);
	row->ok = ok;
	va_start(ap, fmt);
	(void)vsnprintf(row->text, sizeof(row->text), fmt, ap);
	va_end(ap);
	if (broker->peer != NULL && broker->state >= CHILD_BEGUN)
		row_send(row, broker->peer);
}

int
on_host_row(struct peer *p, struct msg *m)
{
	struct child	*c = peer_ctx(p);

	/* It has so many to tell, and no reason to invent more. */
	if (c->id != CHILD_LAUNCHER || c->state != CHILD_FORKED ||
	    c->sup->nrows == HOST_ROWS)
		return (-1);
	host_row(c->sup, msg_str(m->env, "name"), msg_bool(m->env, "ok"),
	    "%s", msg_str(m->env, "text"));
	return (0);
}

/* ---- what the mounter has to try ---- */

void
host_probe_idmap(struct supervisor *sup)
{
	map_send(sup, IMSG_MAP_LAYER, HOST_MOUNT, json_pack("{s:i}", "jail",
	    65534));
}

int
host_mount(struct supervisor *sup, int ns)
{
	const char	*state = sup->conf->state;
	int		 dir;

	if ((dir = open(state, O_RDONLY | O_DIRECTORY | O_CLOEXEC)) == -1)
		fatal("%s", state);
	mount_send(sup, HOST_MOUNT, dir, ns, 1);
	return (0);
}

int
host_idmap(struct supervisor *sup, const char *step, const char *error)
{
	struct child	*mounter = &sup->children[CHILD_MOUNTER];
	const char	*state = sup->conf->state;

	if (mounter->state != CHILD_BEGUN)
		return (-1);
	if (error == NULL)
		host_row(sup, "idmapped-mounts", 1, "on the file system of %s",
		    state);
	else
		host_row(sup, "idmapped-mounts", 0, "%s: %s: %s: tool jails need "
		    "Linux 5.19 and a file system such as ext4, xfs, btrfs or, "
		    "since 6.3, tmpfs for the state and for workspaces",
		    state, step, error);
	child_works(mounter);
	return (0);
}

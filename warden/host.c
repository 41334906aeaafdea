/*
 * What this host can do for jails, in words that an administrator can act
 * on: most of it as the launcher has tried it.
 */
#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "jails.h"
#include "log.h"
#include "warden.h"

static void
row_send(const struct host_row *row, struct peer *broker, int last)
{
	peer_send(broker, IMSG_HOST_ROW, 0, -1, json_pack(
	    "{s:s,s:b,s:s,s:b}", "name", row->name, "ok", row->ok, "text",
	    row->text, "last", last), NULL, 0);
}

void
host_send(const struct warden *w)
{
	int	i;

	canary_send(w);
	for (i = 0; i < w->nrows; i++)
		row_send(&w->rows[i], w->broker, i == w->nrows - 1);
}

void
host_row(struct warden *w, const char *name, int ok, const char *fmt, ...)
{
	struct host_row	*row = w->rows;
	va_list		 ap;

	while (row < w->rows + w->nrows && strcmp(row->name, name) != 0)
		row++;
	if (row == w->rows + HOST_ROWS)
		fatalx("host_row");
	if (row == w->rows + w->nrows)
		w->nrows++;
	(void)snprintf(row->name, sizeof(row->name), "%s", name);
	row->ok = ok;
	va_start(ap, fmt);
	(void)vsnprintf(row->text, sizeof(row->text), fmt, ap);
	va_end(ap);
	if (w->broker != NULL)
		row_send(row, w->broker, 0);
}

int
on_host_row(struct peer *p, struct msg *m)
{
	struct warden	*w = peer_ctx(p);

	/* It has so many to tell, and no reason to invent more. */
	if (w->cgroups_known || w->nrows == HOST_ROWS)
		return (-1);
	host_row(w, msg_str(m->env, "name"), msg_bool(m->env, "ok"), "%s",
	    msg_str(m->env, "text"));
	return (0);
}

/* ---- what the mounter has to try ---- */

void
host_probe_idmap(struct warden *w)
{
	/* Each comes once: with the second of the two there are both. */
	if (w->launcher == NULL || !w->mounter_works)
		return;
	(void)map_send(w, IMSG_MAP_LAYER, HOST_MOUNT, json_pack("{s:i}",
	    "jail", 65534));
}

int
host_mount(struct warden *w, int ns)
{
	int	dir = w->state_dir;

	w->state_dir = -1;
	if (dir == -1) {
		(void)close(ns);
		return (-1);
	}
	(void)mount_send(w, HOST_MOUNT, dir, ns, 1);
	return (0);
}

int
host_idmap(struct warden *w, const char *step, const char *error)
{
	const char	*state = w->config->state;

	if (w->mounter_ready || w->state_dir != -1)
		return (-1);
	if (error == NULL)
		host_row(w, "idmapped-mounts", 1, "on the file system of %s",
		    state);
	else
		host_row(w, "idmapped-mounts", 0, "%s: %s: %s: tool jails need "
		    "Linux 5.19 and a file system such as ext4, xfs, btrfs or, "
		    "since 6.3, tmpfs for the state and for workspaces",
		    state, step, error);
	w->mounter_ready = 1;
	warden_check(w);
	return (0);
}

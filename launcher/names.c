/*
 * Users and groups by name. The user data base can be anything: files,
 * a daemon, a directory service with libraries of its own. A process behind
 * an allow-list can't ask it; this one can.
 */
#include <grp.h>
#include <pwd.h>

#include "launcher.h"

static void
name_answer(struct peer *p, uint32_t id, int found, uid_t uid, gid_t gid)
{
	peer_send(p, IMSG_NAME, id, -1, json_pack("{s:b,s:I,s:I}", "found",
	    found, "uid", (json_int_t)uid, "gid", (json_int_t)gid), NULL, 0);
}

int
on_name_ask(struct peer *p, struct msg *m)
{
	const char		*name = msg_str(m->env, "name");
	const struct passwd	*pw;
	const struct group	*gr;

	if (msg_bool(m->env, "group")) {
		gr = getgrnam(name);
		name_answer(p, m->id, gr != NULL, 0,
		    gr != NULL ? gr->gr_gid : 0);
	} else {
		pw = getpwnam(name);
		name_answer(p, m->id, pw != NULL, pw != NULL ? pw->pw_uid : 0,
		    pw != NULL ? pw->pw_gid : 0);
	}
	return (0);
}

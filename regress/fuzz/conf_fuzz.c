/* ROOM: reader
 * wfsupd.conf(5) of any bytes: an error or a configuration, never a crash.
 */
#include <stdio.h>
#include <stdlib.h>

#include "conf.h"

int	LLVMFuzzerTestOneInput(const uint8_t *, size_t);

static int
user(void *arg, const char *name, uid_t *uid, gid_t *gid)
{
	(void)arg;
	*uid = *gid = 1000 + (uid_t)(unsigned char)name[0];
	return (0);
}

static int
group(void *arg, const char *name, gid_t *gid)
{
	(void)arg;
	*gid = 1000 + (gid_t)(unsigned char)name[0];
	return (0);
}

static void
report(const char *text, void *ctx)
{
	(void)text;
	(void)ctx;
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static const struct conf_names	 names = { user, group, NULL };
	struct conf			*conf;
	FILE				*f;

	if (size == 0 ||
	    (f = fmemopen((void *)(uintptr_t)data, size, "r")) == NULL)
		return (0);
	conf = conf_parse(f, "fuzz", &names, report, NULL);
	(void)fclose(f);
	if (conf != NULL) {
		json_decref(conf_broker_json(conf));
		json_decref(conf_keeper_json(conf));
		json_decref(conf_gateway_json(conf));
		json_decref(conf_warden_json(conf));
		conf_free(conf);
	}
	return (0);
}

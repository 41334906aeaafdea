/*
 * Filters are compiled at start and exported: loading the bytes takes a
 * third of the time that building them anew takes, and needs no allocator
 * in the child.
 */
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/syscall.h>

#include <errno.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "filter.h"
#include "log.h"

/* Call numbers are looked up below this; the kernel has some 460. */
#define CALLS_MAX	1024

struct bpf {
	struct sock_fprog	 prog;
	struct bpf		*next;
};

static scmp_filter_ctx
context_new(uint32_t otherwise)
{
	scmp_filter_ctx	ctx;

	if ((ctx = seccomp_init(otherwise)) == NULL)
		fatalx("filter: seccomp_init");
	/* i386 calls; x32 is refused by libseccomp as a foreign one too. */
	if (seccomp_attr_set(ctx, SCMP_FLTATR_ACT_BADARCH,
	    SCMP_ACT_KILL_PROCESS) != 0 ||
	    seccomp_attr_set(ctx, SCMP_FLTATR_CTL_OPTIMIZE, 2) != 0)
		fatalx("filter: seccomp_attr_set");
	return (ctx);
}

static void
rule_add(scmp_filter_ctx ctx, uint32_t otherwise, const struct filter_rule *r)
{
	int	error, nr;

	nr = seccomp_syscall_resolve_name(r->call);
	if (nr < 0 || r->action == otherwise)
		return;
	error = seccomp_rule_add_array(ctx, r->action, nr, r->nargs, &r->cmp);
	if (error != 0)
		fatalx("filter: %s: %s", r->call, strerror(-error));
}

static int
table_has(const struct filter_rule *r, const char *call)
{
	for (; r->call != NULL; r++)
		if (strcmp(r->call, call) == 0)
			return (1);
	return (0);
}

/* Has one of the first n tables a rule for this call? */
static int
tables_have(const struct filter_rule *const *tables, size_t n,
    const char *call)
{
	size_t	i;

	for (i = 0; i < n && tables[i] != NULL; i++)
		if (table_has(tables[i], call))
			return (1);
	return (0);
}

static void
tables_add(scmp_filter_ctx ctx, uint32_t otherwise,
    const struct filter_rule *const *tables)
{
	const struct filter_rule	*r;
	size_t				 i;

	for (i = 0; tables[i] != NULL; i++)
		for (r = tables[i]; r->call != NULL; r++)
			if (!tables_have(tables, i, r->call))
				rule_add(ctx, otherwise, r);
}

/* Read what was exported into fd. */
static struct bpf *
bpf_read(int fd)
{
	struct bpf	*bpf;
	off_t		 len;

	if ((len = lseek(fd, 0, SEEK_END)) <= 0 ||
	    len % (off_t)sizeof(struct sock_filter) != 0)
		fatalx("filter: export");
	if ((bpf = calloc(1, sizeof(*bpf))) == NULL ||
	    (bpf->prog.filter = malloc((size_t)len)) == NULL)
		fatal("filter");
	if (pread(fd, bpf->prog.filter, (size_t)len, 0) != len)
		fatal("filter: read");
	bpf->prog.len = (unsigned short)((size_t)len /
	    sizeof(struct sock_filter));
	return (bpf);
}

/* Takes ctx. */
static struct bpf *
context_export(scmp_filter_ctx ctx)
{
	struct bpf	*bpf;
	int		 error, fd;

	if ((fd = memfd_create("filter", MFD_CLOEXEC)) == -1)
		fatal("filter: memfd_create");
	if ((error = seccomp_export_bpf(ctx, fd)) != 0)
		fatalx("filter: seccomp_export_bpf: %s", strerror(-error));
	seccomp_release(ctx);
	bpf = bpf_read(fd);
	(void)close(fd);
	return (bpf);
}

struct bpf *
filter_new(uint32_t otherwise, const struct filter_rule *const *tables)
{
	scmp_filter_ctx	ctx;

	ctx = context_new(otherwise);
	tables_add(ctx, otherwise, tables);
	return (context_export(ctx));
}

struct bpf *
filter_new_known(const struct filter_rule *const *tables)
{
	scmp_filter_ctx	 ctx;
	char		*name;
	int		 nr;

	ctx = context_new(SCMP_ACT_ERRNO(ENOSYS));
	tables_add(ctx, SCMP_ACT_ERRNO(ENOSYS), tables);
	for (nr = 0; nr < CALLS_MAX; nr++) {
		name = seccomp_syscall_resolve_num_arch(SCMP_ARCH_NATIVE, nr);
		if (name != NULL && !tables_have(tables, SIZE_MAX, name) &&
		    seccomp_rule_add(ctx, SCMP_ACT_ALLOW, nr, 0) != 0)
			fatalx("filter: %s", name);
		free(name);
	}
	return (context_export(ctx));
}

void
filter_append(struct bpf *bpf, struct bpf *more)
{
	while (bpf->next != NULL)
		bpf = bpf->next;
	bpf->next = more;
}

int
filter_load(const struct bpf *bpf)
{
	for (; bpf != NULL; bpf = bpf->next)
		if (syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, 0,
		    &bpf->prog) == -1)
			return (-1);
	return (0);
}

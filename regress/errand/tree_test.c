/*
 * Removing a sandbox's layer, whatever its jail has left there.
 */
#include <sys/stat.h>

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "tree.h"
#include "test.h"

static char	dir[] = "/tmp/wfsup_tree.XXXXXX";
static char	top[64], outside[64];

static void
sh(const char *script)
{
	char	cmd[512];

	(void)snprintf(cmd, sizeof(cmd), "cd %s && %s", top, script);
	if (system(cmd) != 0)
		exit(1);
}

static void
check(const char *what)
{
	struct stat	st;
	int		error = tree_remove(top);

	test_case(error == 0 && lstat(top, &st) == -1 && errno == ENOENT &&
	    stat(outside, &st) == 0, "%s: %s", what, strerror(error));
	(void)mkdir(top, 0700);
}

/* Deeper than a path, a stack of calls or the open files would allow. */
static void
make_deep(int depth)
{
	int	fd, next;

	if ((fd = open(top, O_RDONLY | O_DIRECTORY | O_CLOEXEC)) == -1)
		exit(1);
	while (depth-- > 0) {
		if (mkdirat(fd, "d", 0700) == -1 || (next = openat(fd, "d",
		    O_RDONLY | O_DIRECTORY | O_CLOEXEC)) == -1)
			exit(1);
		(void)close(fd);
		fd = next;
	}
	(void)close(fd);
}

int
main(void)
{
	/* Root passes over the modes of files, and the remover may not. */
	if (geteuid() == 0 && (setresgid(65534, 65534, 65534) == -1 ||
	    setresuid(65534, 65534, 65534) == -1))
		return (1);
	if (mkdtemp(dir) == NULL)
		return (1);
	(void)snprintf(top, sizeof(top), "%s/top", dir);
	(void)snprintf(outside, sizeof(outside), "%s/outside/file", dir);
	(void)mkdir(top, 0700);
	sh("mkdir ../outside && touch ../outside/file");
	check("an empty directory");
	sh("touch a b && mkdir -p c/d/e && touch c/d/e/f c/g");
	check("files and directories");
	sh("ln -s ../outside l && ln -s ../outside/file m && mkdir x && "
	    "ln -s ../../outside x/l");
	check("links are removed, not followed");
	sh("mkdir -p work/work u/v/w && chmod 0 work/work u/v u");
	check("directories without any right");
	sh("mkdir -p a/.removed-0/x .removed-0/y b/.removed-1/z && "
	    "touch .removed-1 .removed-2");
	check("names as the remover would choose them");
	sh("for i in 0 1 2 3 4 5 6 7 8 9; do for j in 0 1 2 3 4 5 6 7 8 9; "
	    "do mkdir -p $i/$j/k; touch $i/$j/k/f; done; done");
	check("a wide tree");
	make_deep(5000);
	check("a tree 5,000 deep");
	(void)rmdir(top);
	test_case(tree_remove(top) == 0, "what is not there is removed");
	(void)unlink(outside);
	*strrchr(outside, '/') = '\0';
	(void)rmdir(outside);
	test_case(rmdir(dir) == 0, "nothing is left");
	return (test_end());
}

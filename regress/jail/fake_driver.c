/*
 * The supervisor's and the broker's part of the jails' tests.
 */
#include <sys/mount.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <sys/wait.h>

#include <err.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <linux/sched.h>
#include <poll.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "driver.h"
#include "test.h"

const struct limits	driver_limits = {
	.memory = 256 << 20, .pids = 64, .cpu = 20, .fsize = 64 << 20,
	.files = 256
};

int			driver_ahead;

const char *
driver_binary(const char *name)
{
	static char	path[PATH_MAX];
	const char	*dir = getenv("B");

	(void)snprintf(path, sizeof(path), "%s/bin/%s",
	    dir != NULL ? dir : "build", name);
	return (path);
}

static void
write_file(pid_t pid, const char *file, const char *text)
{
	char	path[64];
	int	fd;

	(void)snprintf(path, sizeof(path), "/proc/%d/%s", (int)pid, file);
	if ((fd = open(path, O_WRONLY | O_CLOEXEC)) == -1 ||
	    write(fd, text, strlen(text)) == -1)
		err(1, "%s", path);
	(void)close(fd);
}

/* The child, once its ids are mapped. */
static void __attribute__((noreturn))
starter_exec(int sock, int go, const char *binary, const char *option,
    const char *value)
{
	char	c;

	if (read(go, &c, 1) != 1 || setresgid(0, 0, 0) == -1 ||
	    setresuid(0, 0, 0) == -1 || dup2(sock, 3) == -1)
		err(1, "starter");
	if (close_range(4, ~0U, 0) == -1)
		err(1, "close_range");
	(void)umask(077);	/* as a careful daemon's child has it */
	(void)execl(binary, binary, "-d", option, value, (char *)NULL);
	err(1, "%s", binary);
}

static void
socket_pair(int sv[2])
{
	if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, sv) == -1)
		err(1, "socketpair");
}

static void
starter_clone(struct side *s, const char *binary, const char *option,
    const char *value)
{
	struct clone_args	args = { .flags = CLONE_NEWUSER | CLONE_NEWNS |
				    CLONE_NEWNET | CLONE_NEWIPC |
				    CLONE_NEWPID | CLONE_NEWUTS,
				    .exit_signal = SIGCHLD };
	char			map[64];
	int			sv[2], go[2];

	socket_pair(sv);
	if (pipe2(go, O_CLOEXEC) == -1)
		err(1, "pipe2");
	s->pid = (pid_t)syscall(SYS_clone3, &args, sizeof(args));
	if (s->pid == -1)
		err(1, "clone3");
	if (s->pid == 0)
		starter_exec(sv[1], go[0], binary, option, value);
	(void)snprintf(map, sizeof(map), "0 %d 65536", DRIVER_BASE);
	write_file(s->pid, "uid_map", map);
	write_file(s->pid, "gid_map", map);
	if (write(go[1], "", 1) != 1)
		err(1, "go");
	(void)close(go[0]);
	(void)close(go[1]);
	(void)close(sv[1]);
	imsgbuf_init(&s->ibuf, sv[0]);
	imsgbuf_allow_fdpass(&s->ibuf);
}

int
driver_start(struct side *s, const char *binary, const char *option,
    const char *value, const char *config)
{
	struct got	got;

	starter_clone(s, binary, option, value);
	if (side_want(s, &got, IMSG_ROOM_HELLO, 10000) == -1)
		return (-1);
	got_free(&got);
	side_send(s, IMSG_ROOM_CONFIG, 0, -1, NULL, config);
	side_send(s, IMSG_ROOM_START, 0, -1, NULL, NULL);
	if (side_want(s, &got, IMSG_ROOM_READY, 10000) == -1)
		return (-1);
	got_free(&got);
	return (0);
}

void
driver_stop(struct side *s)
{
	side_close(s);
	(void)kill(s->pid, SIGKILL);
	(void)waitpid(s->pid, NULL, 0);
}

void
driver_part(struct side *s, int64_t jail, const char *part, int fd)
{
	side_send(s, IMSG_JAIL_PART, 0, fd, json_pack("{s:I,s:s}", "jail",
	    (json_int_t)jail, "part", part), NULL);
}

void
driver_spawn(struct side *s, int64_t jail, uid_t uid, const struct limits *l,
    struct side *broker)
{
	int	sv[2];

	socket_pair(sv);
	driver_part(s, jail, "socket", sv[1]);
	imsgbuf_init(&broker->ibuf, sv[0]);
	side_send(s, IMSG_JAIL_SPAWN, 0, -1,
	    json_pack("{s:I,s:I,s:I,s:I,s:I,s:I,s:I,s:b}",
	    "jail", (json_int_t)jail, "uid", (json_int_t)uid,
	    "memory", (json_int_t)l->memory, "pids", (json_int_t)l->pids,
	    "cpu", (json_int_t)l->cpu, "fsize", (json_int_t)l->fsize,
	    "files", (json_int_t)l->files, "ahead", driver_ahead), NULL);
}

/* The pid that a pidfd stands for. */
static pid_t
pidfd_pid(int fd)
{
	char	path[64], line[128];
	FILE	*f;
	int	pid = -1;

	(void)snprintf(path, sizeof(path), "/proc/self/fdinfo/%d", fd);
	if ((f = fopen(path, "re")) == NULL)
		return (-1);
	while (fgets(line, sizeof(line), f) != NULL)
		if (sscanf(line, "Pid: %d", &pid) == 1)
			break;
	(void)fclose(f);
	return (pid);
}

pid_t
driver_confined(struct side *s, struct side *jail)
{
	struct got	got;

	if (side_want(s, &got, IMSG_JAIL_SPAWNED, 5000) == -1)
		return (-1);
	jail->pid = pidfd_pid(got.fd);
	got_free(&got);
	if (side_want(s, &got, IMSG_JAIL_CONFINED, 5000) == -1)
		return (-1);
	got_free(&got);
	return (jail->pid);
}

/* ---- mounts ---- */

static int
userns_of(uid_t from, uid_t to)
{
	char	path[64], map[64];
	pid_t	pid;
	int	fd;

	if ((pid = (pid_t)syscall(SYS_clone, CLONE_NEWUSER | SIGCHLD, 0, 0,
	    0, 0)) == -1)
		err(1, "clone");
	if (pid == 0)
		for (;;)
			(void)pause();
	(void)snprintf(map, sizeof(map), "%u %u 1\n", from, to);
	write_file(pid, "uid_map", map);
	write_file(pid, "gid_map", map);
	(void)snprintf(path, sizeof(path), "/proc/%d/ns/user", (int)pid);
	if ((fd = open(path, O_RDONLY | O_CLOEXEC)) == -1)
		err(1, "%s", path);
	(void)kill(pid, SIGKILL);
	(void)waitpid(pid, NULL, 0);
	return (fd);
}

int
driver_mount(const char *path, uid_t owner, uid_t uid, int readonly)
{
	struct mount_attr	attr = { .attr_set = MOUNT_ATTR_IDMAP |
				    MOUNT_ATTR_NOSUID | MOUNT_ATTR_NODEV |
				    (readonly ? MOUNT_ATTR_RDONLY : 0) };
	int			fd;

	fd = (int)syscall(SYS_open_tree, AT_FDCWD, path,
	    OPEN_TREE_CLONE | OPEN_TREE_CLOEXEC);
	if (fd == -1)
		err(1, "open_tree");
	attr.userns_fd = (uint64_t)userns_of(owner, DRIVER_BASE + uid);
	if (syscall(SYS_mount_setattr, fd, "", AT_EMPTY_PATH, &attr,
	    sizeof(attr)) == -1)
		err(1, "mount_setattr");
	(void)close((int)attr.userns_fd);
	return (fd);
}

/* ---- messages ---- */

static void
packet_send(struct side *s, uint32_t type, uint32_t id, int fd,
    const struct iovec *iov, size_t n)
{
	struct pollfd	pfd = { .fd = s->ibuf.fd, .events = POLLOUT };

	if (imsg_composev(&s->ibuf, type, id, fd, iov, n) == -1)
		err(1, "imsg_composev");
	while (imsgbuf_write(&s->ibuf) == 0 && s->ibuf.queued > 0)
		(void)poll(&pfd, 1, 1000);
}

void
side_send(struct side *s, uint32_t type, uint32_t id, int fd, json_t *env,
    const char *body)
{
	const size_t	 share = 60000;
	struct iovec	 iov[3];
	char		*text;
	size_t		 len = body != NULL ? strlen(body) : 0, n;

	if (env == NULL)
		env = json_object();
	if (len > share)
		json_object_set_new(env, "parts", json_integer(
		    (json_int_t)((len - 1) / share)));
	if ((text = json_dumps(env, JSON_COMPACT)) == NULL)
		errx(1, "json_dumps");
	n = len > share ? share : len;
	iov[0] = (struct iovec){ text, strlen(text) };
	iov[1] = (struct iovec){ (char *)(uintptr_t)"\n", 1 };
	iov[2] = (struct iovec){ (char *)(uintptr_t)body, n };
	packet_send(s, type, id, fd, iov, body == NULL ? 1 : 3);
	for (; len > n; body += n, len -= n) {
		iov[0].iov_base = (char *)(uintptr_t)body + n;
		iov[0].iov_len = len - n > share ? share : len - n;
		packet_send(s, IMSG_PART, id, -1, iov, 1);
	}
	free(text);
	json_decref(env);
}

static int
packet_recv(struct side *s, struct imsg *imsg, int ms)
{
	struct pollfd	 pfd = { .fd = s->ibuf.fd, .events = POLLIN };

	if (poll(&pfd, 1, test_slow(ms)) != 1)
		return (-1);
	return (imsgbuf_get(&s->ibuf, imsg) == IMSG_GOT ? 0 : -1);
}

static void
body_append(struct got *got, const char *data, size_t n)
{
	got->body = realloc(got->body, got->bodylen + n + 1);
	if (got->body == NULL)
		err(1, "body");
	memcpy(got->body + got->bodylen, data, n);
	got->bodylen += n;
	got->body[got->bodylen] = '\0';
}

int
side_recv(struct side *s, struct got *got, int ms)
{
	struct imsg	 imsg;
	const char	*body;
	size_t		 len;
	json_int_t	 parts;

	memset(got, 0, sizeof(*got));
	got->fd = -1;
	if (packet_recv(s, &imsg, ms) == -1)
		return (-1);
	got->type = imsg.hdr.type;
	got->id = imsg.hdr.peerid;
	got->fd = imsg_get_fd(&imsg);
	len = imsg.datalen;
	if ((body = memchr(imsg.data, '\n', len)) != NULL) {
		len = (size_t)(body - imsg.data);
		body_append(got, body + 1, imsg.datalen - len - 1);
	}
	got->env = json_loadb(imsg.data, len, 0, NULL);
	imsg_free(&imsg);
	parts = json_integer_value(json_object_get(got->env, "parts"));
	while (parts-- > 0) {
		if (packet_recv(s, &imsg, ms) == -1)
			return (-1);
		if (imsg.hdr.type != IMSG_PART || imsg.hdr.peerid != got->id)
			errx(1, "not a part");
		body_append(got, imsg.data, imsg.datalen);
		imsg_free(&imsg);
	}
	return (0);
}

int
side_want(struct side *s, struct got *got, uint32_t type, int ms)
{
	char	*env;

	if (side_recv(s, got, ms) == -1) {
		fprintf(stderr, "driver: waited for %#x, nothing came\n",
		    type);
		return (-1);
	}
	if (got->type == type)
		return (0);
	env = json_dumps(got->env, JSON_COMPACT);
	fprintf(stderr, "driver: waited for %#x, got %#x %s %.200s\n", type,
	    got->type, env != NULL ? env : "",
	    got->body != NULL ? got->body : "");
	free(env);
	got_free(got);
	return (-1);
}

void
side_close(struct side *s)
{
	imsgbuf_clear(&s->ibuf);
	if (s->ibuf.fd != -1)
		(void)close(s->ibuf.fd);
	s->ibuf.fd = -1;
}

void
got_free(struct got *got)
{
	json_decref(got->env);
	free(got->body);
	if (got->fd != -1)
		(void)close(got->fd);
	got->env = NULL;
	got->body = NULL;
	got->fd = -1;
}

const char *
proc_status(pid_t pid, const char *key)
{
	static char	line[256];
	char		path[64];
	FILE		*f;
	size_t		n = strlen(key);

	(void)snprintf(path, sizeof(path), "/proc/%d/status", (int)pid);
	if ((f = fopen(path, "re")) == NULL)
		return ("");
	while (fgets(line, sizeof(line), f) != NULL)
		if (strncmp(line, key, n) == 0 && line[n] == ':') {
			(void)fclose(f);
			line[strcspn(line, "\n")] = '\0';
			return (line + n + 1 + strspn(line + n + 1, " \t"));
		}
	(void)fclose(f);
	return ("");
}

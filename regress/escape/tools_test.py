"""What may be tried in a tool jail of the real daemon: each case is a
workflow whose tools do it, then a look from outside: nothing but the sandbox
has changed, and nothing is left when the run has ended."""
import json
import os
import re
import shutil
import socket
import stat
import subprocess
import sys
import tempfile
import time

HERE = os.path.dirname(os.path.abspath(__file__))
TOP = os.path.dirname(os.path.dirname(HERE))
SLOW = int(os.environ.get("WFSUP_SLOW", 1))
MARK = "31337.%d" % os.getpid()         # what our sleeps sleep
CONF = """
profile tools {
	verbs { run list show result follow cancel }
	tools { "*" }
	memory 256M
	pids 64
	cpu 20
	wall %d
	fsize 1G
}
allow user 0 profile tools
""" % (60 * SLOW)
failed = 0


def case(good, what):
    global failed
    print(("ok " if good else "not ok ") + what, flush=True)
    failed += not good
    return good


class Place:
    """A workspace, and beside it what must not change."""

    def __init__(self):
        self.dir = tempfile.mkdtemp(prefix="wfsup-tools.")
        os.chmod(self.dir, 0o755)
        self.ws = self.dir + "/ws"
        os.mkdir(self.ws)
        self.victim = self.dir + "/victim"
        os.mkdir(self.victim)
        with open(self.victim + "/file", "w") as f:
            f.write("untouched\n")

    def untouched(self):
        with open(self.victim + "/file") as f:
            return f.read() == "untouched\n" and \
                os.listdir(self.victim) == ["file"]


def flow(place, source, timeout=90):
    """Run a workflow; its exit status and last line."""
    with tempfile.NamedTemporaryFile("w", suffix=".py") as script:
        script.write(source)
        script.flush()
        done = subprocess.run(
            ["wfsupctl", "run", script.name, "--json", "--workspace",
             place.ws], timeout=timeout * SLOW, stdin=subprocess.DEVNULL,
            capture_output=True)
    lines = done.stdout.decode(errors="replace").splitlines()
    try:
        return done.returncode, json.loads(lines[-1])
    except (IndexError, ValueError):
        return done.returncode, {"error": done.stderr.decode()[-300:]}


def bash(place, command, more=""):
    """One command; what it said, or None."""
    code, end = flow(place, "out = await tool('bash', command=%r, "
                     "timeout=%d)\n%sreturn out" % (command, 20 * SLOW, more))
    return end.get("result") if code == 0 else {"exit": -1, "stdout": str(
        end.get("error")), "stderr": ""}


def expect(place, what, command, want_exit, want=None):
    out = bash(place, command)
    good = out["exit"] == want_exit and \
        (want is None or out["stdout"].strip() == want)
    case(good, what + ("" if good else ": %s" % json.dumps(out)[:300]))


def left():
    """Our sleeps, anywhere on the machine."""
    return subprocess.run(["pgrep", "-f", "sleep " + MARK],
                          capture_output=True).stdout.split()


def gone(what):
    for _ in range(40 * SLOW):
        if not left():
            break
        time.sleep(0.05)
    case(not left(), what)


def no_layers():
    """Wait for the layers of sandboxes to be removed."""
    layers = os.environ["WFSUP_SCRATCH"] + "/state/sandboxes"
    for _ in range(100 * SLOW):
        if not os.listdir(layers):
            return True
        time.sleep(0.05)
    return False


# ---- processes ----

def processes(place):
    expect(place, "20 children in sessions of their own",
           "for i in $(seq 20); do setsid sleep %s & done; sleep 0.2; "
           "pgrep -c sleep" % MARK, 0, "20")
    gone("all are gone with the run")
    expect(place, "a chain of forks, each parent ending at once",
           "f() { (sleep 0.02; f) & }; f; sleep 0.3; "
           "setsid sh -c 'while :; do (exec sleep %s) & sleep 0.01; done' "
           ">/dev/null 2>&1 & echo ok" % MARK, 0, "ok")
    gone("it is gone too")
    expect(place, "daemons: nohup, setsid, two forks",
           "(nohup setsid sh -c 'sleep %s & sleep %s' >/dev/null 2>&1 &) ; "
           "echo ok" % (MARK, MARK), 0, "ok")
    gone("none outlives its call")
    out = bash(place, "kill -9 -1; sleep 1; echo alive")
    case(out["exit"] in (0, 137) or "ToolError" in out["stdout"],
         "kill -9 -1 reaches no further than its call (%s)"
         % out["stdout"][:100])
    expect(place, "a fork bomb hits the limit of processes",
           "f() { f | f & }; f 2>/dev/null; sleep 0.5; echo over", 0, None)
    gone("nothing of it is left")


def after_the_end(place):
    code, end = flow(place, """
import asyncio
t = asyncio.ensure_future(tool('bash', command='sleep %s'))
await sleep(0.3)
return 'left it running'
""" % MARK)
    case(code == 0, "a run ends while its command runs")
    gone("the command has ended with it")


# ---- space ----

def space(place):
    before = shutil.disk_usage("/tmp").free
    expect(place, "/tmp filled to the brim",
           "cat /dev/zero >/tmp/full 2>/dev/null; echo x >/tmp/more "
           "2>/dev/null || echo full; rm /tmp/full; echo y >/tmp/z && "
           "cat /tmp/z", 0, "full\ny")
    expect(place, "more files than /tmp has room for",
           "mkdir /tmp/d; cd /tmp/d; python3 -c \"\n"
           "import os\n"
           "try:\n"
           "  for i in range(10**6): os.mknod('f%d' % i)\n"
           "except OSError as e: print(e.strerror)\"", 0,
           "No space left on device")
    case(abs(shutil.disk_usage("/tmp").free - before) < 64 << 20,
         "the host's /tmp has not noticed")
    expect(place, "a file as long as fsize allows, not longer",
           "exec 2>/dev/null; truncate -s 2G big; truncate -s 1G big; "
           "stat -c %s big", 0, str(1 << 30))
    out = bash(place, "python3 -c 'x = bytearray(400 << 20)'; echo $?")
    case(out["stdout"].strip() != "0", "400 MB of memory: refused or ended "
         "(%s)" % out["stdout"].strip()[:60])


# ---- files ----

def devices(place):
    os.mknod(place.ws + "/zero", stat.S_IFCHR | 0o666, os.makedev(1, 5))
    os.chmod(place.ws + "/zero", 0o666)
    shutil.copy("/usr/bin/id", place.ws + "/id")
    os.chmod(place.ws + "/id", 0o6755)
    os.symlink(place.victim + "/file", place.ws + "/out")
    os.symlink("/etc/shadow", place.ws + "/shadow")
    expect(place, "a device in the workspace can't be opened",
           "head -c 1 zero 2>&1 | grep -c denied", 0, "1")
    expect(place, "no device can be made, but what hides a file",
           "mknod a b 8 0 2>/dev/null || mknod /tmp/a c 1 3 2>/dev/null || "
           "echo no", 0, "no")
    expect(place, "set-user-ID counts for nothing", "./id -u | "
           "grep -qx $(id -u) && ./id -g | grep -qx $(id -g) && echo same",
           0, "same")
    expect(place, "a link out of the workspace leads nowhere",
           "cat out shadow 2>/dev/null; echo x >out 2>/dev/null; ls -l "
           "/etc/shadow 2>/dev/null | wc -l", 0, "0")
    code, end = flow(place, "return await tool('read', path='shadow')")
    case(code != 0, "nor for the tool read")
    code, end = flow(place, "return await tool('write', path='out', "
                     "content='owned')")
    case(place.untouched(), "nor for the tool write")


RACE = """
import asyncio
race = asyncio.ensure_future(tool('bash', command='''
mkdir -p d; echo inside >d/file
while :; do
    mv d e; ln -s %s d; rm d; mv e d
done''', timeout=4))
lost = 0
for i in range(60):
    for name, more in (('write', {'content': 'owned'}),
                       ('edit', {'old': 'inside', 'new': 'owned'}),
                       ('read', {})):
        try:
            text = await tool(name, path='d/file', **more)
            if name == 'read' and 'untouched' in text:
                return 'OPEN'
        except ToolError:
            lost += 1
race.cancel()
return 'closed'
"""


def races(place):
    code, end = flow(place, RACE % place.victim)
    case(code == 0 and end["result"] == "closed" and place.untouched(),
         "a directory that turns into a link out while tools write to it")
    expect(place, "links planted for whoever removes the layer",
           "ln -s %s victim; ln -s / root; mkdir -p $(seq -s / 400); "
           "mkdir shut; touch shut/in; chmod 0 shut; "
           "touch \"$(printf 'a\\nb')\"; mkdir $(printf 'x\\377'); "
           "echo ok" % place.victim, 0, "ok")
    case(place.untouched(), "what they point at is untouched")
    case(no_layers(), "the layer goes, whatever was planted in it")


def sockets(place):
    """A socket that somebody listens at, in the very workspace."""
    with socket.socket(socket.AF_UNIX) as listener:
        listener.bind(place.ws + "/sock")
        os.chmod(place.ws + "/sock", 0o777)
        listener.listen()
        listener.settimeout(0.5)
        out = bash(place, "python3 -c \"import socket\n"
                   "s = socket.socket(socket.AF_UNIX)\n"
                   "s.connect('sock'); s.send(b'x'); print('OPEN')\" 2>&1 | "
                   "tail -1")
        try:
            listener.accept()
            reached = True
        except socket.timeout:
            reached = False
    case(not reached, "a socket of the host in the workspace can't be "
         "reached (%s)" % out["stdout"].strip()[-60:])
    os.mkfifo(place.ws + "/fifo")
    out = bash(place, "timeout 1 cat fifo; echo $?")
    case(out["stdout"].strip() == "124", "a pipe in the workspace holds "
         "nobody up but its reader")


# ---- the jail's own server ----

def server(place):
    for what, command in (
            ("memory", "exec 3<>/proc/1/mem"),
            ("descriptors", "ls /proc/1/fd/"),
            ("environment", "cat /proc/1/environ"),
            ("name", "echo x >/proc/1/comm")):
        expect(place, "the %s of the jail's init" % what,
               "(%s) >/dev/null 2>&1 && echo OPEN || echo no" % command, 0,
               "no")
    expect(place, "its signals", "kill -STOP 1; kill -9 1; kill -TERM 1; "
           "echo alive", 0, "alive")
    expect(place, "its tracer", "python3 -c \"import ctypes\n"
           "print(ctypes.CDLL(None).ptrace(16, 1, 0, 0))\"", 0, "-1")
    expect(place, "the kernel's switches",
           "ls -d /proc/sys /proc/sysrq-trigger /sys 2>/dev/null | wc -l",
           0, "0")


def baseline():
    """What there is of jails on the host, but for spare ones."""
    daemon = open(os.environ["WFSUP_SCRATCH"] + "/pid").read().strip()
    rooms = subprocess.run(["pgrep", "-P", daemon], text=True,
                           capture_output=True).stdout.split()
    jails = [p for r in rooms for p in subprocess.run(
        ["pgrep", "-P", r], text=True, capture_output=True).stdout.split()]
    cgroups = subprocess.run(
        "ls -d /sys/fs/cgroup/*/wfsup.%s/jail-* "
        "/sys/fs/cgroup/*/*/wfsup.%s/jail-* 2>/dev/null" % (daemon, daemon),
        shell=True, text=True, capture_output=True).stdout.split()
    with open(os.environ["WFSUP_SCRATCH"] + "/log") as f:
        used = re.findall(r'event=jail\.spawn .*jail="(\d+)".* pid="(\d+)"',
                          f.read())
    jails = [p for p in jails if p in [pid for _, pid in used]]
    cgroups = [c for c in cgroups
               if c.rpartition("-")[2] in [jail for jail, _ in used]]
    with open("/proc/self/mountinfo") as f:
        return rooms, jails, cgroups, len(f.readlines())


def inside():
    before = baseline()
    for test in (processes, after_the_end, space, devices, races, sockets,
                 server):
        place = Place()
        test(place)
        case(place.untouched(), "%s: nothing outside has changed"
             % test.__name__)
        shutil.rmtree(place.dir)
    for _ in range(40 * SLOW):
        if baseline() == before:
            break
        time.sleep(0.05)
    for what, a, b in zip(("rooms", "jails", "cgroups", "mounts"), before,
                          baseline()):
        case(a == b, "%s as before (%s)" % (what, b if what == "mounts"
                                            else len(b)))
    return failed != 0


def full():
    """The state directory, on a small disk, filled by a sandbox."""
    place = Place()
    out = bash(place, "cat /dev/zero >full 2>/dev/null || echo full; "
               "rm full; echo y >z && cat z")
    case(out["stdout"].strip() == "full\ny", "/workspace filled to the brim: "
         "the command sees it, and the run goes on")
    code, end = flow(place, "await tool('bash', command='cat /dev/zero "
                     ">full; true')\nreturn 'done'")
    case(code in (0, 1), "filled and left so: the run ends (exit %d)" % code)
    case(no_layers(), "and what filled the disk goes with it")
    code, end = flow(place, """
await tool('bash', command='i=0; while :; do head -c 500000 /dev/zero >f$i '
           '2>/dev/null; i=$((i + 1)); done', timeout=%d)""" % (20 * SLOW))
    case((end.get("error") or {}).get("cause") == "space",
         "many small files: the call is ended (%s)" % json.dumps(
             end.get("error"))[:90])
    code, end = flow(place, """
for i in range(3):
    try:
        await tool('bash', command='for i in $(seq 600); do '
                   'head -c 500000 /dev/zero >f$i 2>/dev/null; done')
    except ToolError:
        pass
await tool('bash', command='rm f*')
await tool('write', path='f', content='x' * 100000)
return 'tidied'""")
    case(code == 0 and end["result"] == "tidied",
         "in a full sandbox a command can make room")
    code, end = flow(place, "return 'well'")
    case(code == 0, "and the next run is served")
    shutil.rmtree(place.dir)
    return failed != 0


def main():
    if sys.argv[1:2] == ["inside"]:
        return inside()
    if sys.argv[1:2] == ["full"]:
        return full()
    if os.geteuid() != 0:
        print("skip attacks from tool jails: needs root")
        return 0
    with tempfile.NamedTemporaryFile("w", suffix=".conf") as conf:
        conf.write(CONF)
        conf.flush()
        scratch = [TOP + "/etc/scratch", "-c", conf.name, "--",
                   "/usr/bin/python3", __file__]
        wrong = subprocess.run(scratch + ["inside"]).returncode
        with tempfile.TemporaryDirectory(prefix="wfsup-full.") as small:
            subprocess.run(["bash", "-c", '. "$0"; small_disk "$1" 256',
                            TOP + "/regress/lib.sh", small], check=True)
            wrong |= subprocess.run(scratch + ["full"], env=dict(
                os.environ, TMPDIR=small)).returncode
            subprocess.run(["umount", small], check=True)
    return wrong


sys.exit(main())

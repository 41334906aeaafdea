#!/bin/bash
# Attacks by those inside: a script that speaks to the broker itself, users
# who crowd out others, a command that outlives its call, a workspace that
# shows more than its owner can see. A "not ok" here is an open hole.
. "$(dirname "$0")/../lib.sh"
[ "$(id -u)" -eq 0 ] || { skip "attack: needs root"; finish; }
case ${1:-} in
'')	# Mounts of our own, below which something is hidden.
	exec unshare -m --propagation private bash "$0" setup ;;
setup)
	T=$(mktemp -d)
	trap 'umount "$T/ws/over"; rm -rf "$T"' EXIT
	chmod 755 "$T"
	mkdir -p "$T/ws/over"
	echo HIDDEN >"$T/ws/over/file"
	echo UNSHARED >"$T/ws/not-for-group"
	chmod -R a+rX "$T/ws"
	chown 0:5070 "$T/ws/not-for-group"
	chmod 604 "$T/ws/not-for-group"
	mount -t tmpfs -o mode=755 none "$T/ws/over" || exit 1
	echo '{"rules": [{"delay": 1500, "text": "a long essay"}]}' \
	    >"$T/slow.json"
	cat >"$T/conf" <<-END
	provider slow {
		type canned
		rules "$T/slow.json"
	}
	model slow {
		provider slow
		name "slow"
		max tokens 4096
	}
	profile few {
		verbs { run list show result follow cancel }
		tools { bash }
		runs 3
	}
	profile budget {
		verbs { run list show result follow cancel }
		models { slow }
		tokens 6000
	}
	limit runs 8
	limit retain 12
	allow user 5003 profile few
	allow user 5004 profile budget
	END
	ATTACK_WS=$T/ws "$(dirname "$0")/../../etc/scratch" -c "$T/conf" -- \
	    bash "$0" inside
	exit ;;
esac

cd "$WFSUP_SCRATCH" || exit 1
install -m 755 "$(command -v wfsupctl)" ctl
export WFSUP_SLOW=${WFSUP_SLOW:-1}
exec /usr/bin/python3 -I - <<'END'
import collections
import json
import os
import socket
import struct
import subprocess
import sys
import tempfile
import time

SCRATCH = os.environ["WFSUP_SCRATCH"]
CONTROL = os.environ["WFSUP_CONTROL"]
SLOW = int(os.environ["WFSUP_SLOW"])
SUBMIT, QUERY, SUBMITTED = 0x501, 0x508, 0x502
failed = 0


def case(good, what):
    global failed
    print(("ok " if good else "not ok ") + what, flush=True)
    failed += not good


def known(good, what, why):
    """A weakness that wfsupd(8) tells of."""
    if good:
        case(good, what)
    else:
        print("skip " + what + ": not so yet: " + why, flush=True)


def ctl(uid, *args, groups=(), wait=30):
    """Exit status and output of wfsupctl; 124 if it takes too long."""
    try:
        p = subprocess.run([SCRATCH + "/ctl", *args], user=uid, group=uid,
                           extra_groups=groups, timeout=wait * SLOW,
                           stdin=subprocess.DEVNULL, capture_output=True)
    except subprocess.TimeoutExpired:
        return 124, b""
    return p.returncode, p.stdout


def run(uid, source, *args, how="run", **more):
    """Exit status, the last line as an object."""
    with tempfile.NamedTemporaryFile("w", suffix=".py") as f:
        f.write(source)
        f.flush()
        os.chmod(f.name, 0o644)
        code, out = ctl(uid, how, f.name, "--json", *args, **more)
    try:
        return code, json.loads(out.splitlines()[-1])
    except (IndexError, ValueError):
        return code, {}


def said(uid, name):
    """The events of a run, as (kind, body)."""
    lines = ctl(uid, "log", "--json", name)[1].splitlines()
    return [(e["kind"], e["body"]) for e in map(json.loads, lines)
            if "kind" in e]


def packet(kind, envelope, body=None, peerid=1):
    data = json.dumps(envelope).encode()
    if body is not None:
        data += b"\n" + body
    return struct.pack("IIII", kind, 16 + len(data), peerid, 1) + data


def clients(uid, n, packets):
    """n clients of a user send packets, each before it reads anything."""
    all = []
    os.setegid(uid)
    os.seteuid(uid)
    try:
        for _ in range(n):
            s = socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET)
            s.settimeout(10 * SLOW)
            s.connect(CONTROL)
            all.append(s)
    finally:
        os.seteuid(0)
        os.setegid(0)
    for s in all:
        for p in packets:
            s.send(p)
    return all


def rooms():
    daemon = open(SCRATCH + "/pid").read().strip()
    out = subprocess.run(["pgrep", "-l", "-P", daemon], text=True,
                         capture_output=True).stdout
    return {name: pid for pid, name in map(str.split, out.splitlines())}


# ---- a script that speaks to the broker itself ----

RAW = """
import json
inner = json.loads.__globals__["__builtins__"]
jail = inner["__import__"]("_jail")
def event(kind, n, body):
    jail.send(0x313, 0, json.dumps({"kind": kind, "n": n}),
              json.dumps(body).encode())
def ask(path, kind, body, digest="0" * 64, **more):
    jail.send(0x310, 0, json.dumps(dict(path=path, kind=kind, digest=digest,
              **more)), json.dumps(body).encode())
def done(value):
    jail.send(0x314, 0, '{"failures": 0}',
              json.dumps({"result": value, "failures": []}).encode())
    while True:
        jail.recv()
"""


def scripts():
    code, end = run(5001, RAW + """
event("state", 0, {"state": "cancelled"})
event("node.end", 1, {"node": "/forged", "ok": True, "ms": 1})
event("tool", 2, {"node": "/forged", "tool": "bash"})
return 1
""")
    forged = [kind for kind, body in said(5001, end["run"])
              if body.get("state") == "cancelled" or
              body.get("node") == "/forged"]
    case(not forged, "a script can't forge the events of states, nodes and "
         "tools (%s)" % (" ".join(forged) or "none came through"))
    code, end = run(5001, RAW + """
event("log", 0, {"message": "\\x1b[2J\\x9b\\u202e", "data": {"\\x1b": 1}})
event("phase", 1, {"title": "\\x1b]0;x\\x07"})
ask("\\x1b[2J/sleep#0", "sleep", {"seconds": 0}, label="\\x1b[31m")
jail.recv()
jail.send(0x315, 0, '{"class": "\\\\u001b[2J", "failures": 0}', json.dumps({"message":
    "\\x1b[2J", "traceback": "\\x1b[2J", "node": "\\x1b[2J"}).encode())
while True:
    jail.recv()
""")
    out = b"".join(ctl(5001, c, end["run"])[1]
                   for c in ("log", "show", "list", "result"))
    audit = open(SCRATCH + "/log", "rb").read()
    case(code == 1 and b"\x1b" not in out + audit and
         "\u202e".encode() not in out + audit,
         "no control character of a script reaches a terminal or the log")
    code, end = run(5001, RAW + """
event("log", 2 ** 63 - 1, {"message": "a"})
event("log", 0, {"message": "b"})
return 1
""")
    case(code == 0, "an event with the greatest number of all")
    for what, body, want in (
            ("asking twice for a node", """
ask("/s", "sleep", {"seconds": 100})
ask("/s", "sleep", {"seconds": 100})
done(1)""", 9),
            ("a recorded node, with another input", """
ask("/s", "sleep", {"seconds": 0})
jail.recv()
ask("/s", "tool", {"name": "bash", "input": {"command": "id"}}, "1" * 64,
    tool="bash")
done(jail.recv()[3].decode())""", 5),
            ("one tool for the judge, another one for the keeper", """
ask("/s", "tool", {"name": "bash", "input": {"command": "id"}}, tool="read")
done(jail.recv()[3].decode())""", 9)):
        code, end = run(5001, RAW + body)
        case(code == want, "%s: exit %d" % (what, code))


# ---- model calls that are withdrawn ----

def budget():
    code, end = run(5004, """
import asyncio
for i in range(4):
    task = asyncio.ensure_future(agent("write an essay", model="slow",
                                       tools=[]))
    await asyncio.sleep(0.4)
    task.cancel()
    await asyncio.wait([task])
await sleep(0.01)
return budget.spent()
""")
    with open(SCRATCH + "/log") as f:
        grants = f.read().count('model="slow" agent="" reserve=')
    case(code == 0 and end.get("result") != 0, "calls of a model that the "
         "script withdraws count against its budget (%d sent, %s tokens "
         "spent)" % (grants, end.get("result")))


# ---- users who crowd out others ----

def crowd():
    body = json.dumps({"source": "await sleep(600)", "args": {}}).encode()
    taken = collections.Counter()
    for s in clients(5003, 4, [packet(SUBMIT, {}, body, i)
                               for i in range(4)]):
        for _ in range(4):
            taken[struct.unpack("I", s.recv(65536)[:4])[0]] += 1
        s.close()
    case(taken[SUBMITTED] <= 3, "\"runs 3\" holds for 16 submissions at once "
         "(%d were taken)" % taken[SUBMITTED])
    withdraw(5003)
    for _ in range(8):
        run(5001, "await sleep(600)", how="submit")
    code, end = run(5002, "return 1", wait=5)
    case(code == 0, "one user's sleeping runs leave room for another's")
    withdraw(5001)
    withdraw(5002)
    code, end = run(5002, "return 'kept'")
    for _ in range(15):
        run(5001, "return 1")
    code, out = ctl(5002, "result", "--json", end.get("run", "none"))
    case(code == 0 and b"kept" in out, "one user's many runs don't make the "
         "journal forget another's")


def withdraw(uid):
    for r in json.loads(ctl(uid, "list", "--json")[1])["runs"]:
        if r["ended"] is None:
            ctl(uid, "cancel", r["run"])


def flood():
    """48 results of 4 MB, and nobody reads one."""
    code, end = run(5001, "return 'x' * 4000000")
    keeper = rooms().get("wfsup-keeper")
    idle = clients(5001, 6, [packet(QUERY, {"what": "result", "run":
                                            end["run"]}, None, i)
                             for i in range(8)])
    code, end = run(5002, "return 1", wait=60)
    case(code == 0, "another user's run while nobody reads 48 long results")
    with open("/proc/%s/status" % keeper) as f:
        peak = [int(line.split()[1]) for line in f
                if line.startswith("VmHWM")][0] // 1024
    # A sanitizer keeps what was freed, so that its use is found.
    with open("/proc/%s/exe" % keeper, "rb") as f:
        if b"__asan_init" in f.read():
            print("skip the keeper's memory: the sanitizer has its own",
                  flush=True)
        else:
            case(peak < 110, "the keeper does not hold them all in memory "
                 "(%d MB at the most)" % peak)
    for s in idle:
        s.close()


# ---- tool jails ----

def tools():
    code, end = run(5001, """
try:
    await tool("bash", command="(setsid sh -c 'while :; do sleep 0.05; "
               "echo >>alive; done' >/dev/null 2>&1 &); sleep 0.3; "
               "kill -9 $PPID; sleep 5")
except ToolError:
    pass
out = await tool("bash", command="cat alive | wc -l; sleep 0.5; "
                 "cat alive | wc -l")
return out["stdout"].split()
""")
    counts = end.get("result") or [0, 1]
    case(counts[0] == counts[1], "what a command leaves behind ends with its "
         "call, even if it kills the call's own process")
    workspace = os.environ["ATTACK_WS"]
    code, end = run(5001, """
return await tool("bash", command="cat over/file not-for-group 2>&1")
""", "--workspace", workspace, groups=[5070])
    text = json.dumps(end)
    known(code == 0 and "HIDDEN" not in text, "what is hidden below a mount "
          "stays hidden in a workspace", "the mount is cloned without what "
          "is mounted below it")
    known(code == 0 and "UNSHARED" not in text, "a file that is closed to a "
          "group of the user is closed to the run", "the id map has the "
          "user's own group only; other groups count as others")


before = rooms()
scripts()
budget()
tools()
crowd()
flood()
case(rooms() == before and "event=room.exit" not in
     open(SCRATCH + "/log").read(), "no room has died")
sys.exit(failed != 0)
END

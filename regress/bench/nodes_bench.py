#!/usr/bin/python3
"""What a node costs, and how soon a run moves again after a kill.

A line a row: what, its cost, the floor and its cost, the ratio, the target,
and whether it is met. The floor is mostly an append of 300 bytes and its
fdatasync(2), on the same file system in the same run.
"""
import json
import os
import shutil
import signal
import sqlite3
import statistics
import subprocess
import sys
import time

TOP = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(
    __file__))))
NODES = 500         # of a sequence
FAN = 1000
RUNS = 100          # at once, of TEN nodes each
TEN = 10
ROUNDS = 1000       # of a question that is answered from the record
PAST = 10000        # nodes that are replayed
LONG = 50000        # of one run
REPEAT = 3          # the best counts: others use this machine too


def verdict(most, value):
    if most is None:
        return ""
    return "   <= %-8s %s" % (most, "met" if value <= most else "not met")


def row(what, value, unit, most=None, floor=None,
        name="append and fdatasync"):
    """floor is of the same unit as value; most of the ratio to it, or, where
    there is none, of the value."""
    line = "%-34s %8.2f %-2s" % (what, value, unit)
    if floor is None:
        line += "   %-30s %11s   %6s" % ("", "", "") + verdict(most, value)
    else:
        line += "   %-30s %8.2f %-2s   %6.3f" % (
            name, floor, unit, value / floor) + verdict(most, value / floor)
    print(line, flush=True)


def floor_ms(n=200):
    took = []
    fd = os.open("floor", os.O_CREAT | os.O_WRONLY | os.O_APPEND)
    for _ in range(n):
        began = time.perf_counter()
        os.write(fd, b"x" * 300)
        os.fdatasync(fd)
        took.append(time.perf_counter() - began)
    os.close(fd)
    return statistics.median(took) * 1e3


def script(name, text):
    with open(name, "w") as f:
        f.write(text)
    return name


def ctl(*argv):
    done = subprocess.run(("wfsupctl",) + argv, capture_output=True,
                          text=True, timeout=300)
    if done.returncode != 0:
        sys.exit("wfsupctl %s: %s" % (" ".join(argv), done.stderr))
    return done.stdout


def events(run):
    return [json.loads(line) for line in ctl("log", "--json", run).split("\n")
            if line.startswith('{"seq"')]


def wait(*runs):
    for run in runs:
        while json.loads(ctl("show", "--json", run))["ended"] is None:
            time.sleep(0.2)


def node_times(run):
    return [e["at"] for e in events(run) if e["kind"].startswith("node.")]


def room(name):
    """The pid of a room of this instance."""
    with open("pid") as f:
        daemon = f.read().strip()
    return int(subprocess.run(["pgrep", "-P", daemon, "-x", name], text=True,
                              capture_output=True).stdout.split()[0])


# ---- what a node costs ----

def per_node(path, n):
    """Milliseconds a node, from the first one's start to the last one's end,
    and the floor: the best of each. Nobody follows the run."""
    took, floor = [], []
    for _ in range(REPEAT):
        floor.append(floor_ms())
        run = ctl("submit", "-w", "ws", path).strip()
        wait(run)
        floor.append(floor_ms())
        at = node_times(run)
        took.append((at[-1] - at[0]) / n)
    return min(took), min(floor)


def costs():
    """A sleep of nothing is one commit; a call is two, and a process."""
    for what, path, n, most in (
            ("a durable node, in sequence", script(
                "sleeps.py", "for i in range(%d):\n"
                "    await sleep(0.000001)\n" % NODES), NODES, 2.0),
            ("a call of read, in sequence", script(
                "reads.py", "for i in range(%d):\n"
                "    await tool('read', path='x')\n" % NODES), NODES, None),
            ("a node of a fan-out of %d" % FAN, script(
                "fan.py", "await parallel([lambda: sleep(0.000001)"
                " for i in range(%d)])\n" % FAN), FAN, 0.5)):
        took, floor = per_node(path, n)
        row(what, took, "ms", most, floor)


def together(seconds):
    """Milliseconds a node of runs that all wait for one moment, so many
    seconds from here, and then have their nodes one after the other; None
    if not all had begun by then."""
    begin = time.time() + seconds
    path = script("ten.py", "import time\n"
                  "await sleep(%.3f - time.time())\n"
                  "for i in range(%d):\n    await sleep(0.000001)\n" %
                  (begin, TEN))
    runs = [ctl("submit", path).strip() for _ in range(RUNS)]
    wait(*runs)
    at = [t for run in runs for t in node_times(run)]
    if sum(t < begin * 1000 for t in at) != RUNS:
        return None
    return (max(at) - begin * 1000) / (RUNS * TEN)


def at_once():
    floor = [floor_ms()]
    took = [t for t in map(together, (8, 8)) if t is not None] or \
        [t for t in map(together, (40,)) if t is not None]
    floor.append(floor_ms())
    if not took:
        print("skip: %d runs at once: they did not begin in 40 s" % RUNS)
        return
    row("a node of %d runs of %d at once" % (RUNS, TEN), min(took), "ms",
        0.5, min(floor))


# A script has no clock of its own: the events around it have. A question that
# was answered is asked again, and answered from the record.
AGAIN = """
node = tool.__globals__['_run'].nodes
border = tool.__globals__['border']
kept = []
send, node._send = node._send, lambda q: kept.append(q) or send(q)
await tool('read', path='%d')
env, body = kept[0]
body = body[:-1] + b',"pad":"' + b'x' * (%d - len(env) - len(body) - 28) + b'"}'
for again in range(%d):
    log('round')
    for i in range(%d):
        send((env, body))
        node._jail.recv()
log('round')
"""


def again_us(size):
    """Microseconds of a question and its answer, of size bytes each with all
    that is in the packet; there is no commit in between."""
    # What else is in the answer: its header, its envelope, quotes.
    script("ws/%d" % size, "x" * max(0, size - 140))
    run = ctl("submit", "-w", "ws", script("again.py", AGAIN % (
        size, size, REPEAT, ROUNDS))).strip()
    wait(run)
    at = [e["at"] for e in events(run) if e["kind"] == "log"]
    if len(at) != REPEAT + 1:
        sys.exit("the questions were not answered: %s" %
                 ctl("result", "--json", run))
    return min(b - a for a, b in zip(at, at[1:])) * 1e3 / ROUNDS


def hops_us(size):
    return min(float(subprocess.run(
        [TOP + "/" + os.environ.get("B", "build") +
         "/regress/bench/jail_bench", "hops", str(size)],
        capture_output=True, text=True, check=True).stdout)
        for _ in range(REPEAT))


def questions():
    for size in 256, 4096:
        floor = hops_us(size)
        took = again_us(size)
        row("a question from the record, %d B" % size, took, "us", 2.0,
            min(floor, hops_us(size)), "two raw hops and back")


def length():
    """The cost of a node must not grow with how many there were."""
    path = script("long.py", "for k in range(%d):\n"
                  "    await parallel([lambda: sleep(0.000001)] * 100)\n" %
                  (LONG // 100))
    run = ctl("submit", path).strip()
    wait(run)
    end = [e["at"] for e in events(run) if e["kind"] == "node.end"]
    part = [(end[i + 999] - end[i]) / 999 for i in range(0, LONG, 1000)]
    few = statistics.median(part[:5])
    row("a node after %d others" % (LONG - 5000),
        statistics.median(part[-5:]), "ms", 1.1, few, "one of the first 5000")


# ---- what it takes in the store ----

def store_bytes():
    """Pages of the store in use, by how many nodes it grew, less the inputs,
    outcomes and events that it was given."""
    def used():
        shutil.rmtree("copy", ignore_errors=True)
        os.mkdir("copy")
        for name in os.listdir("state/keeper"):
            if name.startswith("keeper.db"):
                shutil.copy("state/keeper/" + name, "copy")
        db = sqlite3.connect("copy/keeper.db")
        one = lambda sql: db.execute(sql).fetchone()[0] or 0
        pages = one("PRAGMA page_count") - one("PRAGMA freelist_count")
        return (pages * one("PRAGMA page_size"),
                one("SELECT sum(length(input) + length(value)) FROM nodes") +
                one("SELECT sum(length(body)) FROM events"))
    size, payload = used()
    ctl("run", "-q", script("more.py", "for i in range(2000):\n"
                            "    await sleep(0.000001)\n"))
    more, more_payload = used()
    row("store beside the payload, a node",
        (more - size - (more_payload - payload)) / 2000, "B", 500)


# ---- after a kill ----

def gap(run, killed):
    """Seconds between the two events around the kill that are furthest
    apart: the run did not move."""
    at = [e["at"] for e in events(run)]
    return max(b - a for a, b in zip(at, at[1:])
               if b >= killed - 20 and a <= killed + 1000) / 1000


def kill_at(victim, path, last):
    """Kill a room when the node of this path has ended; the gap."""
    run = ctl("submit", path).strip()
    follow = subprocess.Popen(["wfsupctl", "follow", "--json", run],
                              stdout=subprocess.PIPE,
                              stderr=subprocess.DEVNULL, text=True)
    for line in follow.stdout:
        e = json.loads(line)
        if e.get("kind") == "node.end" and e["body"]["node"] == last:
            break
    killed = time.time() * 1000
    os.kill(room(victim), signal.SIGKILL)
    follow.stdout.read()
    if follow.wait() != 0:
        sys.exit("the run did not complete after %s was killed" % victim)
    moved = gap(run, killed)
    asked = [e["body"]["node"] for e in events(run)
             if e["kind"] == "node.start"]
    if len(asked) != len(set(asked)):
        sys.exit("a recorded node ran again after %s was killed" % victim)
    return moved


def kills():
    """The supervisor waits longer each time: the first kill counts."""
    path = script("long.py", "for i in range(1000):\n"
                  "    await sleep(0.000001)\n")
    for victim in "wfsup-script", "wfsup-keeper", "wfsup-broker":
        row("%s killed at 500 of 1,000" % victim,
            1000 * kill_at(victim, path, "/sleep#500"), "ms", 200)
    path = script("past.py", "for k in range(%d):\n"
                  "    await parallel([lambda: sleep(0.000001)] * 100)\n"
                  "for i in range(50):\n    await sleep(0.01)\n" %
                  (PAST // 100))
    row("replay of %d nodes, all in all" % PAST,
        1000 * kill_at("wfsup-script", path, "/sleep#5"), "ms", 1000)


def main():
    os.chdir(os.environ["WFSUP_SCRATCH"])
    os.mkdir("ws")
    script("ws/x", "hello\n")
    costs()
    at_once()
    questions()
    length()
    store_bytes()
    kills()


if __name__ == "__main__":
    if sys.argv[1:] == ["inside"]:
        main()
    else:
        here = os.path.abspath(__file__)
        os.execv(TOP + "/etc/scratch", [
            "scratch", "-c", here.removesuffix("py") + "conf", "--",
            sys.executable, here, "inside"])

#!/usr/bin/python3
"""What a node costs, and how soon a run moves again after a kill.

A line a row: what, its cost, the floor and its cost, the ratio, the target.
The floor is an append of 300 bytes and its fdatasync(2), on the same file
system in the same run.
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
PAST = 10000        # nodes that are replayed
REPEAT = 3          # the best counts: others use this machine too


def row(what, value, unit, target="", floor=None):
    """floor is of the same unit as value."""
    line = "%-34s %8.2f %-2s" % (what, value, unit)
    if floor is None:
        line += "   %-30s %11s   %6s" % ("", "", "")
    else:
        line += "   %-30s %8.2f %-2s   %6.3f" % (
            "append and fdatasync", floor, unit, value / floor)
    print(line + "   " + target, flush=True)


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
        while json.loads(ctl("show", "--json", run))["ended"] is None:
            time.sleep(0.2)
        floor.append(floor_ms())
        at = [e["at"] for e in events(run) if e["kind"].startswith("node.")]
        took.append((at[-1] - at[0]) / n)
    return min(took), min(floor)


def costs():
    """A sleep of nothing is one commit; a call is two, and a process."""
    for what, path, n, target in (
            ("a durable node, in sequence", script(
                "sleeps.py", "for i in range(%d):\n"
                "    await sleep(0.000001)\n" % NODES), NODES, "<= 2.0"),
            ("a call of read, in sequence", script(
                "reads.py", "for i in range(%d):\n"
                "    await tool('read', path='x')\n" % NODES), NODES, ""),
            ("a node of a fan-out of %d" % FAN, script(
                "fan.py", "await parallel([lambda: sleep(0.000001)"
                " for i in range(%d)])\n" % FAN), FAN, "<= 0.5")):
        took, floor = per_node(path, n)
        row(what, took, "ms", target, floor)


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
        (more - size - (more_payload - payload)) / 2000, "B", "<= 500")


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
            1000 * kill_at(victim, path, "/sleep#500"), "ms", "<= 200 ms")
    path = script("past.py", "for k in range(%d):\n"
                  "    await parallel([lambda: sleep(0.000001)] * 100)\n"
                  "for i in range(50):\n    await sleep(0.01)\n" %
                  (PAST // 100))
    row("replay of %d nodes, all in all" % PAST,
        1000 * kill_at("wfsup-script", path, "/sleep#5"), "ms", "<= 1000 ms")


def main():
    os.chdir(os.environ["WFSUP_SCRATCH"])
    os.mkdir("ws")
    script("ws/x", "hello\n")
    costs()
    store_bytes()
    kills()


if __name__ == "__main__":
    if sys.argv[1:] == ["inside"]:
        main()
    else:
        os.execv(TOP + "/etc/scratch", ["scratch", "--", sys.executable,
                                        os.path.abspath(__file__), "inside"])

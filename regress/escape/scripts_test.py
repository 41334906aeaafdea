"""Tier 2: what a model, or somebody who has read about escapes from Python,
might write, run as real workflows through wfsupctl. A script in scripts/
begins with what it tries, then says how it must end:

    #: exit N[,N...]     of wfsupctl; 0 if it is not said
    #: result JSON       if it completes
    #: cause REGEX       of the error, if it fails
    #: class REGEX       the same

The word OPEN in a result is a hole, whatever the rest says. At the end the
daemon's rooms must be those that there were, and no jail be left.
"""
import concurrent.futures
import glob
import json
import os
import re
import subprocess
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
TOP = os.path.dirname(os.path.dirname(HERE))
SLOW = int(os.environ.get("WFSUP_SLOW", 1))
CONF = """
profile escape {
	verbs { run list show result follow cancel }
	tools { read }
	models { default }
	agents { }
	memory 128M
	cpu %d
	wall %d
}
allow user 0 profile escape
""" % (2 * SLOW, 30 * SLOW)
failed = 0


# Made with sanitizers, a jail's memory is not what its script uses.
SANITIZED = b"__asan_init" in open(os.path.join(
    os.path.dirname(os.path.abspath(__file__)), "..", "..",
    os.environ.get("B", "build"), "bin", "wfsup-script"), "rb").read()
MEMORY = ("deep_compile", "int_power", "memory_block", "memory_string",
          "memory_list")


def case(good, what):
    global failed
    if not good and SANITIZED and "OPEN" not in what and \
            any(" " + m + ":" in what for m in MEMORY):
        print("skip " + what + ": the sanitizer's own memory", flush=True)
        return
    print(("ok " if good else "not ok ") + what, flush=True)
    failed += not good


def header(text):
    want = {"exit": "0"}
    for key, value in re.findall(r"^#: (\w+) (.*)$", text, re.M):
        want[key] = value
    return want


def run(path):
    done = subprocess.run(["wfsupctl", "run", path, "--json"], timeout=60 * SLOW,
                          stdin=subprocess.DEVNULL, capture_output=True)
    lines = done.stdout.decode(errors="replace").splitlines()
    try:
        return done.returncode, json.loads(lines[-1])
    except (IndexError, ValueError):
        return done.returncode, {}


def verdict(want, code, end):
    """What is wrong with this end, or None."""
    error = end.get("error") or {}
    if "OPEN" in json.dumps(end):
        return "OPEN"
    if str(code) not in want["exit"].split(","):
        return "exit %d" % code
    if code == 0:
        if "result" in want and json.loads(want["result"]) != end["result"]:
            return "result %s" % json.dumps(end["result"])[:80]
        return None
    for key in ("cause", "class"):
        if key in want and not re.fullmatch(want[key],
                                            str(error.get(key))):
            return "%s %s" % (key, error.get(key))
    return None


def one(path):
    want = header(open(path).read())
    code, end = run(path)
    wrong = verdict(want, code, end)
    error = end.get("error") or {}
    ending = "exit %d" % code
    for text in (error.get("class"), error.get("cause")):
        ending += " " + text if text else ""
    name = os.path.basename(path)[:-3]
    return (wrong is None, "script %s: %s%s" % (name, ending,
            ": unexpected: %s: %s" % (wrong, json.dumps(error)[:300])
            if wrong else ""))


def children():
    """The daemon's rooms, and the jails below the starters that are or were
    somebody's: spare ones have not been in the log."""
    daemon = open(os.environ["WFSUP_SCRATCH"] + "/pid").read().strip()
    rooms = subprocess.run(["pgrep", "-P", daemon], capture_output=True,
                           text=True).stdout.split()
    jails = [pid for room in rooms for pid in subprocess.run(
        ["pgrep", "-P", room], capture_output=True, text=True).stdout.split()]
    with open(os.environ["WFSUP_SCRATCH"] + "/log") as log:
        used = re.findall(r'event=jail\.spawn .* pid="(\d+)"', log.read())
    return sorted(rooms), [pid for pid in jails if pid in used]


def plant():
    """A run before, whose words must be in no later one's memory."""
    with tempfile.NamedTemporaryFile("w", suffix=".py") as script:
        script.write("x = 'OTHER-RUNS-MARK'\nreturn [x, args]\n")
        script.flush()
        run(script.name)


def inside(names):
    paths = sorted(glob.glob(HERE + "/scripts/*.py"))
    if names:
        paths = [HERE + "/scripts/%s.py" % n for n in names]
    before, _ = children()
    plant()
    with concurrent.futures.ThreadPoolExecutor(4) as pool:
        for good, what in pool.map(one, paths):
            case(good, what)
    after, jails = children()
    case(before == after, "no room of the daemon has died")
    case(not jails, "no jail is left")
    case(bool(names) or len(paths) >= 60, "%d scripts" % len(paths))
    return failed != 0


def main():
    if sys.argv[1:2] == ["inside"]:
        return inside(sys.argv[2:])
    if os.geteuid() != 0:
        print("skip escapes by script: needs root")
        return 0
    with tempfile.NamedTemporaryFile("w", suffix=".conf") as conf:
        conf.write(CONF)
        conf.flush()
        return subprocess.run([TOP + "/etc/scratch", "-c", conf.name, "--",
                               "/usr/bin/python3", __file__, "inside"]
                              + sys.argv[1:]).returncode


sys.exit(main())

"""wfsupctl against a broker that plays a scenario: see fakebroker.py."""

import json
import os
import pty
import re
import select
import shutil
import signal
import subprocess
import sys
import tempfile
import time

B = os.path.abspath(os.environ.get("B", "build"))
HERE = os.path.dirname(os.path.abspath(__file__))
CTL = f"{B}/bin/wfsupctl"
TMP = tempfile.mkdtemp(prefix="wfsupctl-test.")
SOCK, LOG = f"{TMP}/sock", f"{TMP}/log"
RUN = "000000000000test"
ENV = {**os.environ, "WFSUP_CONTROL": SOCK, "LC_ALL": "C.UTF-8", "TZ": "UTC"}
failures = 0


def case(good, what, *got):
    global failures
    print("ok" if good else "not ok", what)
    if not good:
        failures += 1
        for one in got:
            print("   ", repr(one))
    sys.stdout.flush()


class Broker:
    def __init__(self, scenario, arg=None):
        self.argv = [sys.executable, f"{HERE}/fakebroker.py",
                     f"{B}/gen/messages.py", SOCK, LOG, scenario]
        self.argv += [] if arg is None else [arg]

    def __enter__(self):
        self.proc = subprocess.Popen(self.argv, stdout=subprocess.PIPE)
        self.proc.stdout.readline()
        return self

    def __exit__(self, *_):
        self.proc.kill()
        self.proc.wait()
        self.proc.stdout.close()
        if os.path.exists(SOCK):
            os.unlink(SOCK)


def heard():
    with open(LOG) as f:
        return [json.loads(line) for line in f]


def ctl(*argv, stdin="", timeout=40, env=ENV):
    p = subprocess.run([CTL, *argv], input=stdin, env=env, timeout=timeout,
                       capture_output=True, text=True, cwd=TMP)
    return p.returncode, p.stdout, p.stderr


def last(out):
    """The one JSON object of the last line."""
    assert out.endswith("\n")
    return json.loads(out.splitlines()[-1])


RESULT_KEYS = ["run", "state", "result", "error", "failures", "usage"]
ERROR_KEYS = ["class", "message", "cause", "node", "line", "traceback"]


def whole(obj):
    return (list(obj) == RESULT_KEYS and (obj["error"] is None or
            list(obj["error"]) == ERROR_KEYS))


def script(text="return 1\n", name="x.py"):
    path = f"{TMP}/{name}"
    with open(path, "wb") as f:
        f.write(text if isinstance(text, bytes) else text.encode())
    return path


# ---- what is sent ----

def test_sent():
    script()
    with Broker("ok"):
        rc, out, err = ctl("run", "x.py", "--args", '{"a": [1, 0.1]}',
                           "-w", "/usr/../usr/bin", "--tokens", "77")
        case(rc == 0 and out == '{\n  "answer": 42\n}\n',
             "run prints the result for people", rc, out, err)
        sub, fol = heard()
        case(sub["env"] == {"name": "x.py", "workspace": "/usr/bin",
                            "tokens": 77} and sub["fds"] == ["/usr/bin"],
             "submission: name, real path, budget and one directory", sub)
        case(sub["body"] == {"source": "return 1\n", "args": {"a": [1, 0.1]}},
             "submission: source and arguments as they are", sub)
        case(fol["env"] == {"run": RUN, "after": 0, "live": True},
             "follow: all events, live", fol)
    with Broker("ok"):
        rc, out, err = ctl("submit", "-", "--name", "n\u00e9", stdin="s\r\n")
        case((rc, out) == (0, RUN + "\n"), "submit prints the id", rc, out)
        case(heard()[0]["body"]["source"] == "s\r\n",
             "standard input is taken byte by byte", heard())
        case(heard()[0]["env"] == {"name": "n\u00e9"},
             "a name is given, no workspace", heard())
        rc, out, err = ctl("submit", "--json", "x.py")
        case(last(out) == {"run": RUN}, "submit --json", out)
    script('{"k": "\u00fc"}', "a.json")
    script("#" * 500_000, "big.py")
    with Broker("ok"):
        rc, out, err = ctl("run", "-q", "big.py", "--args", "@a.json")
        body = heard()[0]["body"]
        case(rc == 0 and body["args"] == {"k": "\u00fc"} and
             len(body["source"]) == 500_000 and err == "",
             "a long script in parts, arguments of a file, quiet", rc, err)


# ---- mistakes found before the daemon is asked ----

def test_mistakes():
    script()
    script(b"a = 1\nb = '\xff'\n", "latin.py")
    script(b"a = 1\n\n\0", "nul.py")
    script(b"#" * (4 * 1024 * 1024 + 1), "huge.py")
    script("oops", "bad.json")
    script(b"#" * (512 * 1024 + 1), "long.py")
    rc, out, err = ctl("run", "long.py")
    case(rc == 1 and "the script is longer than 512 KiB" in err,
         "a script beyond 512 KiB: as the daemon says it", rc, err)
    table = [
        ("no workspace", ["x.py", "-w", "/nonexistent"],
         "workspace /nonexistent: No such file or directory"),
        ("a workspace that is a file", ["x.py", "-w", "x.py"],
         "workspace x.py: Not a directory"),
        ("no script", ["y.py"],
         "can't read y.py: No such file or directory"),
        ("a directory for a script", ["/"], "can't read /: Is a directory"),
        ("arguments not JSON", ["x.py", "-a", '{"a":\n tru}'],
         "--args is not JSON: invalid token near 'tru' (line 2, column 4)"),
        ("arguments twice the same key", ["x.py", "-a", '{"a":1,"a":2}'],
         "--args is not JSON: duplicate object key near '\"a\"' "
         "(line 1, column 10)"),
        ("arguments with a NUL", ["x.py", "-a", '["\\u0000"]'],
         "--args has a NUL character (line 1, column 9)"),
        ("arguments too deep", ["x.py", "-a", "[" * 65 + "]" * 65],
         "--args: nested more than 64 deep"),
        ("arguments of a file not JSON", ["x.py", "-a", "@bad.json"],
         "bad.json is not JSON: invalid token near 'oops' "
         "(line 1, column 4)"),
        ("arguments of no file", ["x.py", "-a", "@none"],
         "can't read none: No such file or directory"),
        ("a script that is not UTF-8", ["latin.py"],
         "latin.py is not UTF-8 in line 2"),
        ("a script with a NUL", ["nul.py"],
         "nul.py holds a NUL byte in line 3"),
        ("arguments beyond 4 MiB", ["x.py", "-a", "@huge.py"],
         "huge.py is longer than 4 MiB"),
        ("a name too long", ["x.py", "-n", "x" * 129],
         "--name must be UTF-8 of 1 to 128 bytes"),
        ("a name that is empty", ["x.py", "-n", ""],
         "--name must be UTF-8 of 1 to 128 bytes"),
    ]
    for what, argv, want in table:
        rc, out, err = ctl("run", *argv)
        case((rc, out, err) == (2, "", f"wfsupctl: {want}\n"), what, rc, out,
             err)
    rc, out, err = ctl("run", "--json", "y.py")
    obj = last(out)
    case(rc == 2 and whole(obj) and obj["run"] is None and
         obj["state"] == "failed" and obj["error"]["class"] == "UsageError",
         "a mistake in --json", rc, out)


def test_usage():
    table = [
        ("nothing", [], "usage: wfsupctl [-s SOCKET] COMMAND"),
        ("no such command", ["fly\033[m"], "no such command: fly\\x1b[m"),
        ("no script", ["run"], "wfsupctl run: the script is missing"),
        ("no id", ["show"], "wfsupctl show: the id of a run is missing"),
        ("two scripts", ["run", "a", "b"], "one word too many: b"),
        ("an unknown option", ["run", "--fast"], "no such option: --fast"),
        ("an unknown letter among others", ["run", "-qzj", "x"],
         "no such option: -z"),
        ("a value for what takes none", ["run", "--quiet=3", "x"],
         "an option that takes no value: --quiet=3"),
        ("an option of another command", ["list", "--wait"],
         "not an option of this command: --wait"),
        ("one with a value", ["list", "--args", "{}"],
         "not an option of this command: --args"),
        ("a letter of another command", ["run", "-Aq", "x"],
         "not an option of this command: -A"),
        ("an option of no command", ["-x", "list"], "no such option: -x"),
        ("a socket without its path", ["-s"], "-s lacks its value"),
        ("an option without its value", ["run", "x", "--args"],
         "an option lacks its value: --args"),
        ("a budget that is none", ["run", "x", "-t", "0"],
         "-t takes a number from 1 to 9223372036854775807, not: 0"),
        ("a budget that is no number", ["run", "x", "-t", "5k"],
         "-t takes a number from 1 to 9223372036854775807, not: 5k"),
        ("more than a list has", ["list", "-l", "10001"],
         "-l takes a number from 1 to 10000, not: 10001"),
        ("not the id of a run", ["show", "../x"],
         "not the id of a run: ../x"),
    ]
    for what, argv, want in table:
        rc, out, err = ctl(*argv)
        case(rc == 2 and out == "" and want in err, f"usage: {what}", rc, out,
             err)
    rc, out, err = ctl("help")
    case(rc == 0 and "  doctor " in out, "help", rc, out)
    for name in ("run submit list show result follow log cancel scopes "
                 "doctor version help").split():
        rc, out, err = ctl("help", name)
        alt = ctl(name, "--help")
        case(rc == 0 and out.startswith(f"usage: wfsupctl {name}") and
             alt == (rc, out, err), f"help {name}", rc, out, alt)


def test_unreachable():
    script()
    for argv in (["run", "x.py"], ["submit", "x.py"], ["list"],
                 ["show", RUN], ["result", RUN], ["result", "--wait", RUN],
                 ["follow", RUN], ["log", RUN], ["cancel", RUN], ["scopes"],
                 ["doctor"], ["version"]):
        rc, out, err = ctl(*argv)
        case(rc == 10 and "is not running" in err and "Start wfsupd" in err,
             f"no daemon: {argv[0]} says so", rc, out, err)
        rc, out, err = ctl(*argv, "--json")
        case(rc == 10 and (argv[0] == "log" or isinstance(last(out), dict)),
             f"no daemon: {argv[0]} --json", rc, out, err)
    rc, out, err = ctl("run", "--json", "x.py")
    obj = last(out)
    case(whole(obj) and obj["error"]["class"] == "UnavailableError" and
         obj["run"] is None, "no daemon: the object of run --json", out)
    rc, out, err = ctl("list", "-s", f"{TMP}/other")
    case(rc == 10 and f"{TMP}/other" in err, "-s names another socket", err)
    rc, out, err = ctl("-s", f"{TMP}/other", "list")
    case(rc == 10 and f"{TMP}/other" in err, "-s before the command", err)
    rc, out, err = ctl("list", "-s", "x" * 200)
    case(rc == 2, "a path too long for a socket", rc, err)


# ---- how runs end ----

def test_exits():
    script()
    for n in range(12):
        with Broker("code", str(n)):
            rc, out, err = ctl("run", "--json", "x.py")
        case(rc == n and whole(last(out)), f"exit status {n}", rc, out, err)
        case("\033" not in err + out, f"exit status {n}: nothing raw", err)
    with Broker("code", "8"):
        rc, out, err = ctl("run", "x.py")
    case("AgentError: the \\x1b[2Jmodel\n  said no (provider)\n  line 7\n"
         "  node /agent#0\n  File x, line 7\n      await agent()\n"
         "      ^^^^^\n" in err and out == "" and err.count("said no") == 1,
         "an error: class, message, cause, line, node, traceback", out, err)
    with Broker("code", "3"):
        rc, out, err = ctl("run", "x.py")
    case("22 branches failed" in err and "\n  and 2 more" in err and
         "  /p0.0/agent#0  AgentError: gone ... (timeout)\n" in err and
         out == "null\n", "failures: a line each, then how many more", err)
    with Broker("code", "4"):
        rc, out, err = ctl("run", "x.py")
    case(out == "" and "cancelled after" in err,
         "a cancelled run has no result", out, err)
    with Broker("code", "11"):
        rc, out, err = ctl("run", "x.py")
    case("please report" in err, "a fault asks to be reported", err)
    for n in (2, 7, 10):
        with Broker("refuse", str(n)):
            rc, out, err = ctl("run", "--json", "x.py")
            rc2, out2, err2 = ctl("run", "x.py")
        obj = last(out)
        case(rc == n and whole(obj) and obj["run"] is None and
             obj["error"]["class"] == "ScopeError" and rc2 == n and
             "your profile does not grant that" in err2,
             f"refused with exit status {n}", rc, out, err2)
    with Broker("refuse_follow"):
        rc, out, err = ctl("run", "--json", "x.py")
    case(rc == 7 and last(out)["run"] == RUN and
         f"(run {RUN} was taken and goes on)" in err, "refused to follow", rc,
         out, err)


def test_results():
    script()
    table = [
        ("a number as short as it can be", "0.1", "0.1\n"),
        ("a whole real", "1.0", "1.0\n"),
        ("a long one", "1e+300", "1e+300\n"),
        ("null", "null", "null\n"),
        ("a text is printed as text", '"a\\n\\tb"', "a\n\tb\n"),
        ("empty ones", '[{}, []]', "[\n  {},\n  []\n]\n"),
        ("what a terminal obeys is escaped",
         '["\\u009b\\u202e\\udb40\\udc41\\u001b"]',
         '[\n  "\\u009b\\u202e\\udb40\\udc41\\u001B"\n]\n'),
        ("beyond 16 bits", '["\\udb40\\udc01\\ud83d\\ude00"]',
         '[\n  "\\udb40\\udc01\U0001f600"\n]\n'),
    ]
    for what, value, want in table:
        with Broker("ok", value):
            rc, out, err = ctl("run", "-q", "x.py")
        case((rc, out) == (0, want), f"result: {what}", rc, out)
    with Broker("long", "300000"):
        rc, out, err = ctl("run", "-q", "--json", "x.py")
    case(len(last(out)["result"]) == 300_000, "a result in parts", rc)


def test_events():
    with Broker("ok"):
        rc, out, err = ctl("follow", RUN)
    want = """\
08:00:00 run is running
08:00:00 phase Review
08:00:00 node /p0.0/agent#0 started (review a.c)
08:00:00 node /p0.0/agent#0 used tool read
08:00:00 log two
         | lines \\x1b[31m {"n":1}
08:00:00 node /p0.0/agent#0 failed after 1:01, 1.2k tokens in, 34 out: \
AgentError: no
08:00:00 hole at /p0.0/agent#0: AgentError: no
08:00:00 new.kind {"x":1}
"""
    case(err.startswith(want), "events as lines", err)
    with Broker("ok"):
        rc, out, err = ctl("follow", "--json", RUN)
    rows = [json.loads(line) for line in out.splitlines()]
    case([r["seq"] for r in rows[:-1]] == [1, 2, 3, 4, 4, 6, 7, 8, 9] and
         whole(rows[-1]) and rows[4]["kind"] == "text",
         "follow --json: an object an event, then the result", out)
    with Broker("ok"):
        rc, out, err = ctl("log", RUN)
        case(rc == 0 and out == want, "log: the same on standard output", out)
        case(heard()[0]["env"]["live"] is False, "log is not live", heard())
        rc, out, err = ctl("log", "--json", RUN)
        case(len(out.splitlines()) == 9, "log --json", out)


def test_flood():
    with Broker("flood", "10000"):
        rc, out, err = ctl("log", RUN)
        case(rc == 0 and out.count("\n") == 10_000, "10,000 events", rc, err)
        t = Terminal("follow", RUN)
        t.until("after 1.2 s", 30)
        rc = t.end()
        case(rc == 0 and t.seen.count("log n9999\r\n") == 1,
             "10,000 events on a terminal", rc, t.seen[-500:])


# ---- a daemon that breaks ----

def test_away():
    """The daemon is away for a while, socket and all."""
    script()
    with Broker("pause"):
        p = subprocess.Popen([CTL, "run", "x.py"], env=ENV, cwd=TMP,
                             stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                             text=True)
        while "started" not in p.stderr.readline():
            pass
    time.sleep(1)
    with open(f"/proc/{p.pid}/stat") as f:
        ticks = sum(int(n) for n in f.read().split()[13:15])
    case(ticks < 20, "waiting for it costs nothing", ticks)
    with Broker("rest"):
        out, err = p.communicate(timeout=10)
    case(p.returncode == 0 and out == "done\n" and
         "away; trying again for 30 s" in err and "new.kind" in err,
         "the daemon is away for a second", p.returncode, out, err)


def test_crowded():
    script()
    for wait in ("0", "0.3"):
        with Broker("crowded", wait):
            for argv in (["version"], ["run", "x.py"], ["cancel", RUN]):
                for _ in range(3):
                    rc, out, err = ctl(*argv)
                    if rc != 10 or "too many clients" not in err:
                        break
                case(rc == 10 and "there are too many clients" in err,
                     f"turned away after {wait} s: {argv[0]} says why", rc,
                     out, err)


def test_death():
    script()
    with Broker("death"):
        rc, out, err = ctl("run", "x.py")
        after = [m["env"]["after"] for m in heard() if m["type"] == "FOLLOW"]
    case(rc == 0 and out == "alive\n", "the broker dies and comes back", rc,
         out, err)
    case(after == [0, 3, 3, 3], "follows after the last event", after)
    case(err.count("phase Review") == 1 and err.count("new.kind") == 1,
         "no event twice", err)
    case(err.count("went away") == 1, "says so once", err)
    for name in ("deaf", "deaf_submit"):
        with Broker(name):
            rc, out, err = ctl("run", "--json", "x.py")
        case(rc == 10 and "wfsupctl list" in last(out)["error"]["message"],
             f"{name}: the run may have been taken", rc, out, err)
        with Broker(name):
            rc, out, err = ctl("list")
        case(rc == 10 and "closed the connection" in err, f"{name}: list",
             rc, err)


GARBAGE = ("short length type not_for_us no_envelope no_json no_run part "
           "body").split()


def test_garbage():
    script()
    for name in GARBAGE:
        with Broker("garbage", name):
            rc, out, err = ctl("run", "--json", "x.py")
        case(rc == 11 and last(out)["error"]["class"] == "ProtocolError",
             f"garbage: {name}", rc, out, err)
    for name, arg in (("garbage_event", "{]"), ("garbage_event", ""),
                      ("garbage_parts", ""), ("wrong", ""), ("bad_id", ""),
                      ("garbage_fd", "")):
        with Broker(name, arg):
            rc, out, err = ctl("run", "--json", "x.py")
        case(rc == 11 and whole(last(out)), f"{name} {arg}", rc, out, err)
    for body in ("[]", "null", '"x"', '{"runs":[1,null,{}]}',
                 '{"runs":{"a":1}}', '{"rows":[null]}', '{"scopes":[[]]}',
                 '{"state":"\\u001b"}'):
        with Broker("query", body):
            for argv in (["list"], ["show", RUN], ["result", RUN],
                         ["scopes"], ["doctor"], ["version"]):
                rc, out, err = ctl(*argv)
                if rc not in (0, 1, 75) or "\033" in out + err:
                    case(False, f"odd answer {body}: {argv[0]}", rc, out, err)
    case(True, "odd answers to questions")


# ---- signals ----

def test_signals():
    script()
    for sig, want in ((signal.SIGINT, 130), (signal.SIGTERM, 143)):
        with Broker("endless"):
            p = subprocess.Popen([CTL, "run", "--json", "x.py"], env=ENV,
                                 cwd=TMP, stdout=subprocess.PIPE,
                                 stderr=subprocess.PIPE, text=True)
            while "new.kind" not in p.stderr.readline():
                pass
            p.send_signal(sig)
            out, err = p.communicate(timeout=10)
            sent = [m["type"] for m in heard()]
        obj = last(out)
        case(p.returncode == want and f"wfsupctl follow {RUN}" in err and
             whole(obj) and obj["state"] == "running" and
             sent == ["SUBMIT", "FOLLOW"],
             f"{sig.name} leaves the run going", p.returncode, out, err)
    with Broker("silent"):
        p = subprocess.Popen([CTL, "run", "x.py"], env=ENV, cwd=TMP,
                             stderr=subprocess.PIPE, text=True)
        time.sleep(0.5)
        p.send_signal(signal.SIGINT)
        out, err = p.communicate(timeout=10)
    case(p.returncode == 130 and "wfsupctl list" in err,
         "SIGINT before the daemon answered", p.returncode, err)


class Terminal:
    """wfsupctl on a terminal of its own."""

    def __init__(self, *argv, **env):
        self.seen = ""
        self.pid, self.fd = pty.fork()
        if self.pid == 0:
            os.chdir(TMP)
            os.execve(CTL, [CTL, *argv], {**ENV, "TERM": "xterm", **env})

    def until(self, text, seconds=10):
        end = time.time() + seconds
        while text not in self.seen and time.time() < end:
            if not select.select([self.fd], [], [], 0.2)[0]:
                continue
            try:
                self.seen += os.read(self.fd, 65536).decode()
            except OSError:
                break
        return text in self.seen

    def type(self, text):
        self.seen = ""
        os.write(self.fd, text.encode())

    def end(self):
        self.until("\0never", 3)
        _, status = os.waitpid(self.pid, 0)
        os.close(self.fd)
        return os.waitstatus_to_exitcode(status)


def test_terminal():
    script()
    with Broker("endless"):
        t = Terminal("run", "x.py")
        case(t.until("0 done, 1 failed") and "\033[K" in t.seen,
             "a terminal is drawn on", t.seen)
        case("\033[31m08:00:00 node /p0.0/agent#0 failed" in t.seen and
             "lines \\x1b[31m" in t.seen, "failures in red, text encoded",
             t.seen)
        t.type("\003")
        case(t.until("[f]ollowing? "), "Ctrl-C asks", t.seen)
        t.type("what?\n")
        case(t.until("[f]ollowing? "), "asks again", t.seen)
        t.type("f\n")
        case(t.until("1 failed"), "f: goes on drawing", t.seen)
        t.type("\003")
        t.until("[f]ollowing? ")
        t.type("c\n")
        case(t.until("cancelled") and t.end() == 4, "c: cancels", t.seen)
    for what, keys in (("l: leaves", "l\n"), ("second Ctrl-C: leaves", "\003"),
                       ("Ctrl-D: leaves", "\004")):
        with Broker("endless"):
            t = Terminal("run", "x.py")
            t.until("1 failed")
            t.type("\003")
            t.until("[f]ollowing? ")
            t.type(keys)
            rc = t.end()
            case(rc == 130 and f"wfsupctl follow {RUN}" in t.seen and
                 "CANCEL" not in [m["type"] for m in heard()], what, rc,
                 t.seen)
    with Broker("endless"):
        t = Terminal("follow", RUN)
        t.until("1 failed")
        t.type("\003")
        rc = t.end()
        case(rc == 130 and "[l]eave" not in t.seen,
             "follow: Ctrl-C does not ask", rc, t.seen)
    with Broker("ok"):
        t = Terminal("run", "x.py", NO_COLOR="1")
        t.end()
        case("\033[31m" not in t.seen and "\033[1m" not in t.seen and "\033[K" in t.seen, "NO_COLOR",
             t.seen)
        t = Terminal("run", "x.py", TERM="dumb")
        t.end()
        case("\033" not in t.seen and "08:00:00 phase" in t.seen,
             "a dumb terminal gets lines", t.seen)
    with Broker("ok", '"\\u001b[2Ja\\n\\u0007b"'):
        t = Terminal("run", "-q", "x.py")
        t.end()
        case(t.seen == "\\x1b[2Ja\r\n\\x07b\r\n",
             "a text on a terminal is encoded", t.seen)


# ---- questions ----

def test_questions():
    now = int(time.time() * 1000)
    runs = {"runs": [
        {"run": "aaaa", "name": "one", "state": "running", "uid": 0,
         "created": now - 65000, "nodes": 3, "tokens": 12345,
         "waiting": None},
        {"run": "bbbb", "name": "t\u00fc\033[m", "state": "waiting",
         "uid": 1000, "created": now - 86400000 * 3 - 1000, "nodes": 20,
         "tokens": 5, "waiting": "its workspace"}]}
    with Broker("query", json.dumps(runs)):
        rc, out, err = ctl("list")
        out = re.sub(r"6\d s", "65 s", out)        # or later, if slow
        case(out == """\
RUN    AGE  STATE                   NODES  TOKENS  NAME
aaaa  65 s  running                     3   12.3k  one
bbbb   3 d  waiting: its workspace     20       5  t\u00fc\\x1b[m
""", "list", out)
        rc, out, err = ctl("list", "--all", "--limit", "5")
        case(heard()[1]["env"] == {"what": "list", "limit": 5, "all": True}
             and " USER " in out, "list --all --limit", heard(), out)
        rc, out, err = ctl("list", "--json")
        case(last(out) == runs, "list --json", out)
    with Broker("query", '{"runs":[]}'):
        case(ctl("list")[1] == "no runs\n", "list of nothing")
    show = {"run": RUN, "name": "n", "state": "failed", "exit": 9,
            "error": {"class": "JailError", "message": "two\nlines",
                      "cause": "oom", "node": None, "line": 3},
            "created": 1800000000000, "nodes": {
                "total": 4, "running": 1, "done": 2, "failed": 1},
            "tokens_in": 5, "workspace": "/a", "ended": None,
            "running": [
                {"node": "/p0.0/agent#0", "label": "review a.c",
                 "what": "default", "started": now - 65000},
                {"node": "/p0.1/tool#0", "label": None, "what": "bash",
                 "started": now - 65000}],
            "limits": {"memory": 1048576}}
    with Broker("query", json.dumps(show)):
        rc, out, err = ctl("show", RUN)
        out = re.sub(r"  1:[0-5]\d  ", "  1:05  ", out)   # or later, if slow
        case(out == f"""\
Run            {RUN}
Name           n
State          failed
Exit code      9
Error          JailError: two
               lines (line 3)
Submitted      2027-01-15 08:00:00
Nodes          4: 1 running, 2 done, 1 failed
Running        /p0.0/agent#0  1:05  review a.c
               /p0.1/tool#0  1:05  bash
Tokens in      5
Workspace      /a
memory         1048576
""", "show", out)
        case(last(ctl("show", "--json", RUN)[1]) == show, "show --json")
    policy = {"profile": "p", "tools": ["read", "x\x1b"], "models": ["*"],
              "agents": [], "tokens": 0, "limits": {
                  "memory": 536870912, "pids": 128, "cpu": 60,
                  "wall": 86400, "fsize": 1000, "files": 256}}
    with Broker("query", json.dumps({"run": RUN, "policy": policy})):
        rc, out, err = ctl("show", RUN)
        case(out == f"""\
Run            {RUN}
May use tools  read, x\\x1b
Models         *
Agents         nothing
Memory         512M
Processes      128
CPU seconds    60
Wall seconds   86400
File size      1000
Open files     256
""", "show: the policy in force", out)
    with Broker("run_lost"):
        rc, out, err = ctl("result", "--json", RUN)
        case(rc == 9 and last(out)["state"] == "failed",
             "result: the exit status that show knows", rc, out, err)
    with Broker("query", '{"run":"a","state":"running","result":null}'):
        rc, out, err = ctl("result", RUN)
        case(rc == 75 and out == "", "result: not yet", rc, out, err)
    with Broker("ok"):
        rc, out, err = ctl("result", "--wait", RUN)
        case(rc == 0 and "42" in out and
             heard()[0]["env"]["after"] == 2**63 - 1,
             "result --wait: no events, only the end", rc, out, heard())
    with Broker("cancel"):
        rc, out, err = ctl("cancel", "aa", "nono", "bb")
        case(rc == 2 and err == "wfsupctl: nono: there is no such run\n" and
             out == "run aa is being cancelled\nrun bb is being cancelled\n",
             "cancel: each run, the first refusal's status", rc, out, err)
        rc, out, err = ctl("cancel", "--json", "aa", "nono")
        case([r["ok"] for r in last(out)["runs"]] == [True, False],
             "cancel --json", out)
    rows = {"rows": [{"name": "cgroup", "ok": True, "text": "v2"},
                     {"name": "overlay", "ok": False, "text": "no\nway"}]}
    with Broker("query", json.dumps(rows)):
        rc, out, err = ctl("doctor")
        case(rc == 1 and out == """\
STATE    WHAT     DETAIL
ok       cgroup   v2
LACKING  overlay  no\\x0away
""", "doctor", rc, out)
        case(last(ctl("doctor", "--json")[1]) == rows, "doctor --json")
    with Broker("query", '{"version":"9.9"}'):
        rc, out, err = ctl("version")
        case(rc == 0 and out.endswith("wfsupd 9.9\n"), "version", out)
        case(last(ctl("version", "--json")[1])["daemon"] ==
             {"version": "9.9"}, "version --json")
    with Broker("query", '{"scopes":[{"run":"a","tools":["x","y"],'
                '"agents":[]}]}'):
        rc, out, err = ctl("scopes")
        case(out == "Run            a\nTools          x, y\n"
             "Agents         nothing\n", "scopes", out)
    for name in ("list", "scopes", "doctor"):
        with Broker("refuse", "7"):
            rc, out, err = ctl(name, "--json")
        case(rc == 7 and last(out)["error"]["class"] == "ScopeError",
             f"{name}: refused", rc, out)


try:
    for name, fn in list(globals().items()):
        if name.startswith("test_"):
            fn()
finally:
    shutil.rmtree(TMP)
sys.exit(failures != 0)

"""Signals, and what is drawn and asked on a terminal."""

import os
import signal
import subprocess
import time

from harness import (CTL, ENV, RUN, TMP, Broker, Terminal, case, heard, last,
                     run, script, whole)


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


ASKED = "Press l to leave it running, c to cancel it, f to go on following: "


def interrupted():
    """wfsupctl run on a terminal, after Ctrl-C."""
    t = Terminal("run", "x.py")
    t.until("1 failed")
    t.type("\003")
    t.until(ASKED)
    return t


def test_drawn():
    script()
    with Broker("endless"):
        t = Terminal("run", "x.py")
        case(t.until("0 done, 1 failed") and "\033[K" in t.seen,
             "a terminal is drawn on", t.seen)
        case("\033[31m08:00:00 node /p0.0/agent#0 failed" in t.seen and
             "lines \\x1b[31m" in t.seen, "failures in red, text encoded",
             t.seen)
        os.kill(t.pid, signal.SIGKILL)
        t.end()


def test_question():
    script()
    with Broker("endless"):
        t = interrupted()
        case(f"Run {RUN} goes on.\r\n{ASKED}" in t.seen and not t.echoes(),
             "Ctrl-C asks, and says which keys it takes", t.seen)
        t.type("\033[A")
        case(t.until(ASKED) and t.seen.count("Press") == 1,
             "a key that is no answer: asks again, once", t.seen)
        t.type("f")
        case(t.until("1 failed") and t.echoes(),
             "f: goes on drawing, the terminal is as it was", t.seen)
        t.type("\003")
        t.until(ASKED)
        t.type("c")
        case(t.until("cancelled") and t.end() == 4, "c: cancels, at once",
             t.seen)


def test_question_leaves():
    script()
    for what, keys in (("l: leaves", "l"), ("L: leaves", "L"),
                       ("second Ctrl-C: leaves", "\003"),
                       ("Ctrl-D: leaves", "\004")):
        with Broker("endless"):
            t = interrupted()
            t.type(keys)
            case(t.until(f"wfsupctl follow {RUN}") and t.end() == 130 and
                 "CANCEL" not in [m["type"] for m in heard()], what, t.seen)
    with Broker("endless"):
        t = interrupted()
        os.kill(t.pid, signal.SIGTERM)
        case(t.until(f"wfsupctl follow {RUN}") and t.echoes() and
             t.end() == 143, "SIGTERM at the question: leaves, the terminal "
             "is as it was", t.seen)


def test_question_stopped():
    """Ctrl-Z at the question: a shell sets the terminal as it likes it."""
    script()
    with Broker("endless"):
        t = interrupted()
        os.kill(t.pid, signal.SIGSTOP)
        os.waitpid(t.pid, os.WUNTRACED)
        t.echo()
        t.seen = ""
        os.kill(t.pid, signal.SIGCONT)
        case(t.until(ASKED) and not t.echoes(), "it asks again", t.seen)
        t.type("l")
        case(t.until(f"wfsupctl follow {RUN}") and t.end() == 130,
             "and takes the key", t.seen)


def test_typed_before():
    """What was typed before there was a question does not answer it."""
    script()
    with Broker("endless"):
        t = Terminal("run", "x.py")
        t.until("1 failed")
        t.type("c\n")
        t.until("c\r\n")
        os.kill(t.pid, signal.SIGINT)   # Ctrl-C would drop them
        case(t.until(ASKED), "keys typed before are no answer", t.seen)
        t.type("l")
        case(t.until(f"wfsupctl follow {RUN}") and
             "CANCEL" not in [m["type"] for m in heard()] and
             t.end() == 130, "nothing was cancelled", t.seen)


def test_not_asked():
    script()
    with Broker("endless"):
        t = Terminal("follow", RUN)
        t.until("1 failed")
        t.type("\003")
        rc = t.end()
        case(rc == 130 and "Press" not in t.seen,
             "follow: Ctrl-C does not ask", rc, t.seen)
    with Broker("endless"):
        t = Terminal("-mc", f"{CTL} run x.py & echo =$!=; wait",
                     program="/bin/sh")
        t.until("1 failed")
        os.kill(int(t.seen.split("=")[1]), signal.SIGINT)
        case(t.until(f"wfsupctl follow {RUN}") and "Press" not in t.seen,
             "SIGINT in the background of a terminal does not ask", t.seen)
        t.end()


def test_plain():
    script()
    with Broker("ok"):
        t = Terminal("run", "x.py", NO_COLOR="1")
        t.end()
        case("\033[31m" not in t.seen and "\033[1m" not in t.seen and
             "\033[K" in t.seen, "NO_COLOR", t.seen)
        t = Terminal("run", "x.py", TERM="dumb")
        t.end()
        case("\033" not in t.seen and "08:00:00 phase" in t.seen,
             "a dumb terminal gets lines", t.seen)
    with Broker("ok", '"\\u001b[2Ja\\n\\u0007b"'):
        t = Terminal("run", "-q", "x.py")
        t.end()
        case(t.seen == "\\x1b[2Ja\r\n\\x07b\r\n",
             "a text on a terminal is encoded", t.seen)


run(globals())

"""Signals, and what is drawn and asked on a terminal."""

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


run(globals())

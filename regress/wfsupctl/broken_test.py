"""A daemon that goes away, dies, or says what it must not."""

import subprocess
import time

from harness import (CTL, ENV, RUN, TMP, Broker, case, ctl, heard, last, run,
                     script, whole)


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


run(globals())

"""Events of a run, as lines and as JSON."""

import json

from harness import RUN, Broker, Terminal, case, ctl, heard, run, whole


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


run(globals())

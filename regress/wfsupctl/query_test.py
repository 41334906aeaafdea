"""Questions and their answers: list, result, cancel, doctor and others."""

import json
import re
import time

from harness import RUN, Broker, case, ctl, heard, last, run


def test_list():
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


def test_result():
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


def test_cancel():
    with Broker("cancel"):
        rc, out, err = ctl("cancel", "aa", "nono", "bb")
        case(rc == 2 and err == "wfsupctl: nono: there is no such run\n" and
             out == "run aa is being cancelled\nrun bb is being cancelled\n",
             "cancel: each run, the first refusal's status", rc, out, err)
        rc, out, err = ctl("cancel", "--json", "aa", "nono")
        case([r["ok"] for r in last(out)["runs"]] == [True, False],
             "cancel --json", out)


def test_doctor():
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
    rows["rooms"] = {"runs": 1, "jails": 2, "jails_max": 256, "clients": 1}
    with Broker("query", json.dumps(rows)):
        rc, out, err = ctl("doctor")
        case(out.endswith("\n\n1 run, 2 of 256 jails, 1 client\n"),
             "doctor: what the daemon is busy with", out)
    del rows["rooms"]
    rows["attempts"] = [{"jail": "tool", "name": "mount", "how":
                         "refused: EPERM", "layers": "filter, no capability"}]
    with Broker("query", json.dumps(rows)):
        rc, out, err = ctl("doctor")
        case("mount" not in out, "doctor: attempts only with -A", rc, out)
        rc, out, err = ctl("doctor", "-A")
        case(out.endswith("""
JAIL  ATTEMPT  MET BY          CLOSED BY
tool  mount    refused: EPERM  filter, no capability
"""), "doctor -A", rc, out)


def test_version():
    with Broker("query", '{"version":"9.9"}'):
        rc, out, err = ctl("version")
        case(rc == 0 and out.endswith("wfsupd 9.9\n"), "version", out)
        case(last(ctl("version", "--json")[1])["daemon"] ==
             {"version": "9.9"}, "version --json")


def test_scopes():
    with Broker("query", '{"scopes":[{"run":"a","tools":["x","y"],'
                '"agents":[]}]}'):
        rc, out, err = ctl("scopes")
        case(out == "Run            a\nTools          x, y\n"
             "Agents         nothing\n", "scopes", out)


def test_refused():
    for name in ("list", "scopes", "doctor"):
        with Broker("refuse", "7"):
            rc, out, err = ctl(name, "--json")
        case(rc == 7 and last(out)["error"]["class"] == "ScopeError",
             f"{name}: refused", rc, out)


run(globals())

"""What show says of a run."""

import json
import re
import time

from harness import RUN, Broker, case, ctl, last, run


def test_run():
    now = int(time.time() * 1000)
    show = {"run": RUN, "name": "n", "state": "failed", "exit": 9,
            "error": {"class": "JailError", "message": "two\nlines",
                      "cause": "oom", "node": None, "line": 3},
            "created": 1800000000000, "nodes": {
                "total": 9, "running": 2, "done": 2, "failed": 5},
            "tokens_in": 5, "workspace": "/a", "ended": None,
            "running": [
                {"node": "/p0.0/agent#0", "label": "review a.c",
                 "what": "default", "started": now - 65000},
                {"node": "/p0.1/tool#0", "label": None, "what": "bash",
                 "started": now - 65000}],
            "failed": [
                {"node": "/p0.2/agent#0", "label": "review b.c",
                 "class": "AgentError", "message": "no answer\nat all",
                 "cause": "provider"},
                {"node": "/tool#1", "label": None, "class": "ToolError",
                 "message": "a\x1b[2Jb", "cause": None}],
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
Nodes          9: 2 running, 2 done, 5 failed
Running        /p0.0/agent#0  1:05  review a.c
               /p0.1/tool#0  1:05  bash
Failed         /p0.2/agent#0  review b.c  AgentError: no answer ... (provider)
               /tool#1  ToolError: a\\x1b[2Jb
               and 3 more: see wfsupctl log
Tokens in      5
Workspace      /a
memory         1048576
""", "show", out)
        case(last(ctl("show", "--json", RUN)[1]) == show, "show --json")


def test_policy():
    policy = {"profile": "p", "tools": ["read", "x\x1b"], "models": ["*"],
              "agents": [], "tokens": 0, "limits": {
                  "memory": 536870912, "pids": 128, "cpu": 60,
                  "wall": 86400, "fsize": 1000, "files": 256,
                  "output": 4096, "frame": 262144, "calls": 7, "rate": 9}}
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
Result size    4096
Message size   262144
Pending calls  7
Logs a second  9
""", "show: the policy in force", out)


run(globals())

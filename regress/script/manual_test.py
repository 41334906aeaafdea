#!/usr/bin/python3 -IS
"""The examples of wfsup(7) and those that are installed run."""

import glob
import os
import re
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, HERE)

ROOT = os.path.join(HERE, "..", "..")
with open(os.path.join(ROOT, "jail", "wfsup.7")) as f:
    PAGE = f.read()
INSTALLED = {}
for path in sorted(glob.glob(os.path.join(ROOT, "etc", "examples", "*.py"))):
    with open(path) as f:
        INSTALLED[os.path.basename(path)] = f.read()

from harness import (  # noqa: E402
    Error, case, check, finish, last, run_script)

graft = sys.modules["_wf_graft"]
modules = sys.modules["_wf_modules"]
examples = re.findall(r"^\.Bd -literal -offset indent\n(.*?)^\.Ed$",
                      PAGE.split(".Sh EXAMPLES")[1], re.M | re.S)


def world(ask):
    body = ask["body"]
    if ask["kind"] == "tool":
        if body["name"] == "glob":
            return ["a.c", "b.c", "c.c"]
        return {"exit": body["input"]["command"] == "cc -fsyntax-only b.c",
                "stdout": "", "stderr": "b.c: error"}
    if "c.c" in body["prompt"] and "schema" in body:
        return Error("AgentError", "no answer", "provider")
    if "schema" in body:
        return {"verdict": "bad" if "b.c" in body["prompt"] else "good",
                "why": "so"}
    return "text"


def runs(n, args, want):
    result = run_script(examples[n], args=args, answer=world, order=last)
    check("example %d of the manual runs" % (n + 1),
          result.done and result.value == want, result.body)


check("the manual has examples", len(examples) == 4, len(examples))
runs(0, {}, {"sum": 6})
runs(1, {}, {"bad": ["b.c"], "summary": "text"})
runs(2, {}, [
    {"path": "a.c", "exit": False, "text": "b.c: error"},
    {"path": "b.c", "exit": True, "text": "b.c: error", "why": "text"},
    {"path": "c.c", "exit": False, "text": "b.c: error"}])
runs(3, {"topic": "x"}, "text")

said = re.search(r"A script may import\n(.*?)\.\n", PAGE, re.S)[1]
check("the manual's list of modules is the guard's",
      said.replace(" and ", ", ").replace("\n", " ").split(", ")
      == list(modules.OFFERED), said)
for name in ("agent", "tool", "sleep", "parallel", "pipeline", "phase",
             "log", "print", "workflow", "sandbox", "ask", "signal", "open",
             "input", "exit", "breakpoint"):
    check("the manual tells of " + name, "Fn %s" % name in PAGE)
for name, source in INSTALLED.items():
    case("the example %s compiles" % name,
         lambda: graft.build(source))
finish()

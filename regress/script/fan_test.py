#!/usr/bin/python3 -IS
"""parallel and pipeline: order, holes, bugs, limits, paths."""

import os
import sys

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from harness import (  # noqa: E402
    Error, Fails, case, check, finish, last, run_script, shuffled, table)


def world(ask):
    """Prompts that begin with "bad" fail; tools fail if told to."""
    body = ask["body"]
    if ask["kind"] == "agent":
        if body["prompt"].startswith("bad"):
            return Error("AgentError", "no " + body["prompt"], "provider")
        return body["prompt"]
    return Error("ToolError", "tool") if "fail" in body["input"] else 1


table([
    ("results are in order", "return await parallel("
     "[agent('a'), agent('b'), agent('c')])", ["a", "b", "c"]),
    ("mixed branches", """
import asyncio
async def f(): return await agent('f')
t = asyncio.create_task(agent('t'))
fut = asyncio.get_running_loop().create_future()
fut.set_result('fut')
return await parallel([agent('a'), f, f(), lambda: agent('l'),
                       lambda: 5, t, fut, lambda: None])
""", ["a", "f", "f", "l", 5, "t", "fut", None]),
    ("a dict gives a dict in its order",
     "r = await parallel({'y': agent('a'), 'x': lambda: 2})\n"
     "return [r, list(r)]", [{"y": "a", "x": 2}, ["y", "x"]]),
    ("no branches", "return [await parallel([]), await parallel({})]",
     [[], {}]),
    ("a generator of branches",
     "return await parallel(agent(p) for p in 'ab')", ["a", "b"]),
    ("a set of branches is refused by nobody, a list of them is sorted",
     "return sorted(await parallel({agent('a'), agent('b')}))", ["a", "b"]),
    ("parallel in parallel", """
async def f(n):
    return await parallel([agent(f'{n}{i}') for i in range(2)])
return await parallel([f(0), f(1)])""", [["00", "01"], ["10", "11"]]),
    ("limit keeps the order of the results",
     "return await parallel([agent(c) for c in 'abcde'], limit=2)",
     list("abcde")),
    ("limit=1 is one after the other", """
seen = []
async def f(c):
    seen.append('+' + c)
    await agent(c)
    seen.append('-' + c)
await parallel([f(c) for c in 'abc'], limit=1)
return ''.join(seen)""", "+a-a+b-b+c-c"),
    ("a pipeline has no barrier", """
seen = []
async def one(v):
    await agent(v)
    seen.append('1' + v)
    return v + '!'
async def two(v, item, i):
    seen.append('2' + item)
    return [v, item, i]
r = await pipeline('ab', one, two)
return [r, seen]""",
     [[["a!", "a", 0], ["b!", "b", 1]], ["1b", "2b", "1a", "2a"]]),
    ("a pipeline without stages", "return await pipeline([1, 2])", [1, 2]),
    ("a pipeline without items", "return await pipeline([], len)", []),
    ("plain and C functions are stages",
     "return await pipeline([' A '], str.strip, str.lower, len)", [1]),
    ("a class is a stage", "return await pipeline(['5'], int)", [5]),
    ("a stage gets what it takes", """
return await pipeline([7], lambda v: [v], lambda v, item: [v, item],
    lambda v, item, i: [v, item, i], lambda *a: list(a))""",
     [[[[[7], 7], 7, 0], 7, 0]]),
    ("a partial and a method are stages", """
import functools
class C:
    def m(self, v): return v + 1
return await pipeline([1], C().m, functools.partial(max, 5))""", [5]),
    ("None flows on", "return await pipeline([None], lambda v: v, "
     "lambda v: [v])", [[None]]),
    ("a pipeline's limit",
     "return await pipeline('abc', lambda v: agent(v), limit=2)",
     ["a", "b", "c"]),
], answer=world, order=last)

table([
    ("a branch may be None without being a hole",
     "return await parallel([lambda: None])", [None]),
    ("parallel of a number", "await parallel(3)",
     Fails("TypeError", "parallel: branches must be a list, not int", 1)),
    ("a branch that is a value", "await parallel([lambda: 1, 'x'])",
     Fails("TypeError", "parallel: branch 1 must be a function without "
           "arguments, a coroutine or a task, not str", 1)),
    ("a branch of a dict that is a value", "await parallel({'k': 3})",
     Fails("TypeError", "parallel: branch 'k' must be a function", 1)),
    ("a key that is no string", "await parallel({3: agent('x')})",
     Fails("TypeError", "parallel: the key 3 must be a string, not int", 1)),
    ("a branch that wants arguments", "await parallel([lambda x: 1])",
     Fails("TypeError", "missing 1 required positional argument: 'x'")),
    ("a limit of 0", "await parallel([], limit=0)",
     Fails("ValueError", "parallel: limit must be at least 1")),
    ("a limit that is no integer", "await parallel([], limit=1.5)",
     Fails("TypeError", "parallel: limit must be an integer, not float")),
    ("branches as arguments", "await parallel(agent('a'), agent('b'))",
     Fails("TypeError", "takes 1 positional argument but 2 were given")),
    ("a stage that is a value", "await pipeline([1], 5)",
     Fails("TypeError", "pipeline: stage 0 must be a function, not int")),
    ("items that are a number", "await pipeline(5, len)",
     Fails("TypeError", "pipeline: items must be a list, not int")),
    ("a stage may take nothing", "return await pipeline([1], lambda: 1)",
     [1]),
])


def hole(what, source, want, failures, **options):
    r = run_script(source, answer=world, **options)
    got = r.body and [[f["node"], f["class"]] for f in r.body["failures"]]
    ok = (r.done and r.value == want and got == failures
          and r.env["failures"] == len(failures)
          and r.events("hole") == r.body["failures"])
    check(what, ok, r.body)


hole("a failed branch leaves a hole",
     "return await parallel([agent('a'), agent('bad'), agent('c')])",
     ["a", None, "c"], [["/p0.1/agent#0", "AgentError"]])
hole("holes in a dict", "return await parallel({'x': agent('bad')})",
     {"x": None}, [["/p0.=x/agent#0", "AgentError"]])
hole("what the script catches is no hole", """
async def f():
    try: return await agent('bad')
    except AgentError: return 'caught'
return await parallel([f])""", ["caught"], [])
hole("an inner hole is listed once",
     "return await parallel([parallel([agent('bad')])])", [[None]],
     [["/p0.0/p0.0/agent#0", "AgentError"]])
hole("a failed stage skips the later ones", """
seen = []
r = await pipeline(['a', 'bad'], lambda v: agent(v), seen.append)
return [r, seen]""", [[None, None], ["a"]],
     [["/l0.1/agent#0", "AgentError"]])
hole("a timeout is a failure of its branch", """
import asyncio
async def f():
    async with asyncio.timeout(5): await agent('a')
return await parallel([f])""", [None], [["/p0.0", "TimeoutError"]])
hole("TimeoutError raised by the script counts as one", """
async def f(): raise TimeoutError('own')
return await parallel([f])""", [None], [["/p0.0", "TimeoutError"]])
hole("a group of node failures is a hole", """
async def f():
    await parallel([agent('bad1'), agent('bad2')], strict=True)
return await parallel([f])""", [None],
     [["/p0.0/p0.0/agent#0", "ExceptionGroup"]])
hole("a TaskGroup's failures are a hole", """
import asyncio
async def f():
    async with asyncio.TaskGroup() as g: g.create_task(agent('bad'))
return await parallel([f])""", [None],
     [["/p0.0/t0/agent#0", "ExceptionGroup"]])
hole("a node failure that nobody awaited is listed", """
import asyncio
t = asyncio.create_task(agent('bad'))
await agent('a')
await agent('b')
return 1""", 1, [["/t0/agent#0", "AgentError"]])
hole("limit goes on after a hole",
     "return await parallel([agent('bad'), agent('b')], limit=1)",
     [None, "b"], [["/p0.0/agent#0", "AgentError"]])
hole("a branch that fails in Python as a node",
     "def f(): raise ToolError('mine')\nreturn await parallel([f])",
     [None], [["/p0.0", "ToolError"]])

table([
    ("a bug ends the run at once", """
async def f():
    await agent('a')
    return 1 / 0
return await parallel([f, agent('b'), agent('c')])""",
     Fails("ZeroDivisionError", "", 4)),
    ("a bug in a stage ends the run",
     "await pipeline(['a'], lambda v: v.nope)",
     Fails("AttributeError", "'str' object has no attribute 'nope'", 1)),
    ("a group with one bug among failures is a bug", """
async def f():
    raise ExceptionGroup('g', [AgentError('a'), KeyError('b')])
return await parallel([f])""", Fails("ExceptionGroup", "", 3)),
    ("a bug may be caught around parallel", """
async def f(): return 1 / 0
try:
    await parallel([f, agent('a')])
except ZeroDivisionError:
    return 'caught'""", "caught"),
    ("strict waits for all and raises a group", """
try:
    await parallel([agent('a'), agent('bad1'), agent('bad2')], strict=True)
except* AgentError as g:
    return [str(g), [str(e) for e in g.exceptions]]""",
     Fails("SyntaxError", "")),
    ("strict raises what failed", """
try:
    await parallel([agent('bad1'), agent('a'), agent('bad2')], strict=True)
except ExceptionGroup as g:
    return [str(g), [str(e) for e in g.exceptions]]""",
     ["2 of 3 branches failed (2 sub-exceptions)", ["no bad1", "no bad2"]]),
    ("strict waits for all even after a bug", """
seen = []
async def bug(): raise KeyError('k')
async def f(): seen.append(await agent('a'))
try:
    await parallel([bug, f], strict=True)
except ExceptionGroup as g:
    return [seen, repr(g.exceptions[0])]""", [["a"], "KeyError('k')"]),
    ("strict without a failure gives the results",
     "return await parallel([agent('a')], strict=True)", ["a"]),
    ("a strict group that nobody catches ends the run",
     "await parallel([agent('bad')], strict=True)",
     Fails("ExceptionGroup", "1 of 1 branches failed", 1,
           cause="provider", node="/p0.0/agent#0")),
    ("gather raises the first failure", """
import asyncio
try:
    await asyncio.gather(agent('a'), agent('bad'))
except AgentError as e: return str(e)""", "no bad"),
    ("gather with return_exceptions", """
import asyncio
r = await asyncio.gather(agent('a'), agent('bad'), return_exceptions=True)
return [str(x) for x in r]""", ["a", "no bad"]),
    ("a bug in a task that nobody awaits fails the run", """
import asyncio
async def f(): return 1 / 0
t = asyncio.create_task(f())
await agent('a')
return 1""", Fails("ZeroDivisionError", "", 3)),
    ("a bug in a lost task fails the run", """
import asyncio
async def f(): return 1 / 0
asyncio.create_task(f())
await agent('a')
return 1""", Fails("ZeroDivisionError", "", 3)),
    ("a bug in a callback fails the run", """
import asyncio
asyncio.get_running_loop().call_soon(lambda: 1 / 0)
await agent('a')
return 1""", Fails("ZeroDivisionError", "", 3)),
    ("SystemExit in a branch ends the run", """
async def f(): raise SystemExit(2)
await parallel([f, agent('a')])""", Fails("SystemExit", "2", 2)),
    ("cancelling a parallel cancels its branches", """
import asyncio
seen = []
async def f():
    try: await agent('a')
    except asyncio.CancelledError: seen.append('cancelled'); raise
t = asyncio.create_task(parallel([f, f]))
await asyncio.sleep(0)
await asyncio.sleep(0)
t.cancel()
try: await t
except asyncio.CancelledError: pass
await asyncio.sleep(0)
return seen""", ["cancelled", "cancelled"]),
    ("a branch may end in the step in which its parallel is cancelled", """
import asyncio
e = asyncio.Event()
t = asyncio.create_task(parallel([e.wait(), agent('a')]))
await asyncio.sleep(0)
await asyncio.sleep(0)
e.set()
t.cancel()
try: await t
except asyncio.CancelledError: return await agent('b')""", "b"),
    ("what a cancelled branch ends with is forgotten", """
import asyncio
e = asyncio.Event()
async def f():
    await e.wait()
    1 / 0
t = asyncio.create_task(parallel([f]))
await asyncio.sleep(0)
await asyncio.sleep(0)
e.set()
t.cancel()
try: await t
except asyncio.CancelledError: return 1""", 1),
    ("branches that never began are no forgotten awaits", """
async def f(): return 1 / 0
try:
    await parallel([f(), agent('a'), agent('b')], limit=1)
except ZeroDivisionError: return 'ok'""", "ok"),
    ("what an argument of a branch that never began was to await", """
async def bug(): return 1 / 0
try:
    await parallel([bug, parallel([agent('a'), agent('b')])], limit=1)
except ZeroDivisionError: return 'ok'""", "ok"),
    ("what a task that never began was to await", """
import asyncio
t = asyncio.create_task(parallel({'k': agent('a')}))
t.cancel()
await agent('b')
return 'ok'""", "ok"),
    ("an excused coroutine can still be awaited", """
import asyncio
c = agent('a')
t = asyncio.create_task(parallel([c]))
t.cancel()
await asyncio.sleep(0)
return await c""", "a"),
    ("a cancelled branch that had not begun is no forgotten await", """
import asyncio
t = asyncio.create_task(parallel([agent('a')]))
await asyncio.sleep(0)
t.cancel()
await agent('b')
return 'ok'""", "ok"),
], answer=world)


def paths(what, source, want):
    seen = []
    for seed in range(6):
        r = run_script(source, answer=world, order=shuffled(seed))
        assert r.done, r.body
        seen.append(sorted(r.paths()))
    check("paths: " + what, seen == [sorted(want)] * 6, seen[0])


paths("the k-th parallel of a path", """
await parallel([agent('a'), agent('b')])
await parallel([agent('c')])""",
      ["/p0.0/agent#0", "/p0.1/agent#0", "/p1.0/agent#0"])
paths("keys are percent-encoded", """
await parallel({k: agent('x') for k in
    ['a/b', 'a.b', '#', '%', '=', '\\n', 'é', '', '\\x85', 'a b']})""",
      ["/p0.=%s/agent#0" % k for k in
       ("a%2Fb", "a%2Eb", "%23", "%25", "%3D", "%0A", "é", "", "%C2%85",
        "a b")])
paths("pipelines and nested branches", """
async def f(v): return await parallel([agent(v), tool('t')])
await pipeline('ab', f, lambda v: agent('z'))""",
      ["/l0.0/p0.0/agent#0", "/l0.0/p0.1/tool#0", "/l0.0/agent#0",
       "/l0.1/p0.0/agent#0", "/l0.1/p0.1/tool#0", "/l0.1/agent#0"])
paths("with a limit they are the same", """
async def f(i):
    await agent('a')
    await agent('b')
await parallel([lambda i=i: f(i) for i in range(4)], limit=2)""",
      ["/p0.%d/agent#%d" % (i, n) for i in range(4) for n in range(2)])
paths("tasks made inside branches", """
import asyncio
async def f():
    await agent('a')
    await asyncio.gather(agent('b'), agent('c'))
await parallel([f, f])""",
      ["/p0.%d/%s" % (i, n) for i in range(2)
       for n in ("agent#0", "t0/agent#0", "t1/agent#0")])


def long_keys():
    r = run_script("return await parallel({'k' * 5000: agent('a'), "
                   "'é' * 200: agent('b')})")
    assert r.done, r.body
    for path in r.paths():
        assert len(path.encode()) < 300 and path.startswith("/p0.=%~"), path


def many_failures():
    r = run_script("r = await parallel([agent('bad' + 'x' * 5000) "
                   "for i in range(3000)])\nreturn r.count(None)",
                   answer=world)
    assert r.value == 3000 and r.env == {"failures": 3000}, r.env
    assert len(r.body["failures"]) == 3000
    assert len(str(r.body)) < 2 * 1024 * 1024, len(str(r.body))
    assert len(r.events("hole")) == 3000


def too_many_failures():
    """The list has an end, the count has not."""
    r = run_script("return await parallel({'%04d' % i + 'k' * 200: "
                   "agent('bad%04d' % i + 'x' * 100) for i in range(7000)})",
                   answer=world)
    n = len(r.body["failures"])
    assert r.done and r.env == {"failures": 7000}, r.env
    assert 1000 < n < 7000, n
    assert r.body["failures"] == r.events("hole")[:n] or \
        [f["node"] for f in r.body["failures"]] == \
        [f["node"] for f in r.events("hole")[:n]]


def failures_of_a_failure():
    r = run_script("await parallel([agent('bad'), agent('bad')])\nboom()",
                   answer=world)
    assert r.env == {"class": "NameError", "failures": 2}, r.env
    assert len(r.body["failures"]) == 2


def long_result_and_failures():
    """A result that can be sent is sent, and of the failures what fits."""
    r = run_script("await parallel([agent('bad%05d' % i + 'x' * 500)"
                   " for i in range(4000)])\nreturn 'x' * 4100000",
                   answer=world)
    assert r.done and len(r.value) == 4100000, r.body
    assert r.env == {"failures": 4000}, r.env
    assert 10 < len(r.body["failures"]) < 4000, len(r.body["failures"])


def deep():
    r = run_script("async def f(n):\n    return await parallel("
                   "[lambda: f(n + 1)])\nawait f(0)")
    assert r.error["class"] == "ValueError", r.error
    assert "nested too deep" in r.error["message"], r.error


def wide():
    r = run_script("r = await parallel([agent(str(i)) for i in "
                   "range(2000)])\nreturn r == [str(i) for i in range(2000)]",
                   order=last)
    assert r.value is True


case("keys of thousands of characters give short paths", long_keys)
case("endless nesting of branches is refused", deep)
case("a fan of 2,000", wide)
case("thousands of failures with long texts fit into the end",
     many_failures)
case("of 7,000 failures the list has not all, the count has",
     too_many_failures)
case("a run that fails says how many branches failed before",
     failures_of_a_failure)
case("a long result is sent with as many failures as fit",
     long_result_and_failures)
finish()

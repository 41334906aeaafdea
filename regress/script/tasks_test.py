#!/usr/bin/python3 -IS
"""Ordinary asyncio on our loop, and awaits that were forgotten."""

import os
import sys

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from harness import (  # noqa: E402
    Fails, case, check, finish, last, run_script, table)

table([
    ("gather", "import asyncio\nreturn await asyncio.gather("
     "agent('a'), agent('b'))", ["a", "b"]),
    ("a task group", """
import asyncio
async with asyncio.TaskGroup() as g:
    a = g.create_task(agent('a'))
    b = g.create_task(agent('b'))
return [a.result(), b.result()]""", ["a", "b"]),
    ("a task group fails as a group", """
import asyncio
async def f(): raise KeyError('x')
try:
    async with asyncio.TaskGroup() as g:
        g.create_task(f())
        g.create_task(agent('a'))
except* KeyError as e:
    r = repr(e.exceptions)
return r""", "(KeyError('x'),)"),
    ("wait for the first", """
import asyncio
t = [asyncio.create_task(agent(c)) for c in 'abc']
done, rest = await asyncio.wait(t, return_when=asyncio.FIRST_COMPLETED)
return [[x.result() for x in done], len(rest)]""", [["c"], 2]),
    ("as_completed is in the order of completion", """
import asyncio
return [await c for c in asyncio.as_completed(
    [agent('a'), agent('b'), asyncio.create_task(agent('c'))])]""",
     ["b", "a", "c"]),
    ("as_completed of nothing", "import asyncio\n"
     "return list(asyncio.as_completed([]))", []),
    ("as_completed of one coroutine", "import asyncio\nc = agent('a')\n"
     "try: list(asyncio.as_completed(c))\n"
     "except TypeError as e: r = str(e)\nawait c\nreturn r",
     "as_completed: wants a list of coroutines or tasks, not coroutine"),
    ("shield", """
import asyncio
t = asyncio.create_task(agent('a'))
try:
    async with asyncio.timeout(1): await asyncio.shield(t)
except TimeoutError: pass
return await t""", "a"),
    ("timeout(None) never ends", """
import asyncio
async with asyncio.timeout(None): return await agent('a')""", "a"),
    ("timeout(0)", """
import asyncio
try:
    async with asyncio.timeout(0): await agent('a')
except TimeoutError: return 'late'""", "late"),
    ("timeout for ever makes no timer", """
import asyncio
async with asyncio.timeout(float('inf')): return await agent('a')""", "a"),
    ("timeout_at and reschedule", """
import asyncio
loop = asyncio.get_running_loop()
async with asyncio.timeout_at(loop.time() + 9) as t:
    t.reschedule(loop.time() + 20)
    return [await agent('a'), t.when()]""", ["a", 20.0]),
    ("events, conditions, semaphores, barriers", """
import asyncio
e, s = asyncio.Event(), asyncio.Semaphore(2)
c, b = asyncio.Condition(), asyncio.Barrier(2)
out = []
async def f(n):
    async with s: await agent(n)
    await b.wait()
    async with c: c.notify_all()
    e.set()
    out.append(n)
async def g():
    async with c: await c.wait()
    out.append('c')
await asyncio.gather(g(), f('a'), f('b'), e.wait())
return sorted(out)""", ["a", "b", "c"]),
    ("a queue", """
import asyncio
q = asyncio.Queue(1)
async def put():
    for i in range(3): await q.put(i)
t = asyncio.create_task(put())
return [await q.get() for _ in range(3)]""", [0, 1, 2]),
    ("call_later", """
import asyncio
loop, f = asyncio.get_running_loop(), asyncio.Future()
loop.call_later(2, f.set_result, 5)
return [await f, loop.time()]""", [5, 2.0]),
    ("a timer that is cancelled", """
import asyncio
loop, out = asyncio.get_running_loop(), []
h = loop.call_later(2, out.append, 5)
h.cancel()
await sleep(3)
return [out, h.cancelled()]""", [[], True]),
    ("call_soon_threadsafe and context", """
import asyncio, contextlib
v = []
asyncio.get_running_loop().call_soon_threadsafe(v.append, 1)
await asyncio.sleep(0)
return v""", [1]),
    ("task names and current_task", """
import asyncio
t = asyncio.create_task(agent('a'), name='mine')
await t
return [t.get_name(), asyncio.current_task() is not t,
        len(asyncio.all_tasks())]""", ["mine", True, 1]),
    ("what a loop knows of tasks that are gone stays little", """
loop = tool.__globals__['_run'].loop
for i in range(100):
    await parallel([lambda: 1] * 100)
return [len(loop._tasks) < 2200, len(loop.tasks())]""", [True, 1]),
    ("iscoroutine and isfuture", """
import asyncio
c = agent('a')
t = asyncio.ensure_future(c)
return [asyncio.iscoroutine(c), asyncio.isfuture(t), await t]""",
     [True, True, "a"]),
    ("a cancelled task", """
import asyncio
t = asyncio.create_task(agent('a'))
await asyncio.sleep(0)
t.cancel('why')
try: await t
except asyncio.CancelledError as e: return str(e)""", "why"),
    ("a finally of a cancelled task runs at the end", """
import asyncio
async def f():
    try: await agent('a')
    finally: log('closed')
t = asyncio.create_task(f())
await asyncio.sleep(0)
return 1""", 1),
    ("cleanup at the end can't begin a node", """
import asyncio
async def f():
    try: await agent('a')
    finally: await agent('b')
t = asyncio.create_task(f())
await asyncio.sleep(0)
return 1""", 1),
    ("a task that ignores its end", """
import asyncio
async def f():
    try: await asyncio.Event().wait()
    except asyncio.CancelledError:
        while True: await asyncio.sleep(0)
t = asyncio.create_task(f())
await agent('a')
return 1""", 1),
    ("an async generator is closed", """
out = []
async def g():
    try:
        yield 1
        yield 2
    finally: out.append('closed')
async for x in g(): break
await agent('x')
return out""", ["closed"]),
    ("an exception handler of the script", """
import asyncio
seen = []
loop = asyncio.get_running_loop()
loop.set_exception_handler(lambda l, c: seen.append(str(c['exception'])))
loop.call_soon(lambda: 1 / 0)
await asyncio.sleep(0)
return seen""", ["division by zero"]),
], order=last)
table([
    ("wait with a timeout", """
import asyncio
t = asyncio.create_task(agent('a'))
done, rest = await asyncio.wait([t], timeout=3)
return [len(done), len(rest)]""", [0, 1]),
    ("as_completed with a timeout", """
import asyncio
out = []
try:
    for c in asyncio.as_completed([agent('a')], timeout=2):
        out.append(await c)
except TimeoutError: out.append('late')
return out""", ["late"]),
], order=lambda paths: min(paths, key=lambda p: "sleep" not in p))


def finally_logs():
    r = run_script("""
import asyncio
async def f():
    try: await agent('a')
    finally: print('closed')
t = asyncio.create_task(f())
await asyncio.sleep(0)
return 1""")
    assert r.events("log") == [{"message": "closed"}], r.sent
    assert r.cancels() == ["/t0/agent#0"], r.cancels()


case("what a finally says at the end is heard", finally_logs)


STUBBORN = """
import asyncio
async def stubborn():
    while True:
        try: await %s
        except BaseException: log('no')
"""


def stubborn(what, wait, rest, want):
    """A task that swallows its end holds nothing up and says little."""
    def run():
        r = run_script(STUBBORN % wait + rest)
        if isinstance(want, Fails):
            want.check(r)
        else:
            assert r.value == want, r.value
        assert len(r.events("log")) < 1100, len(r.events("log"))
    case("a task that swallows its end: " + what, run)


LEAVE = "t = asyncio.create_task(stubborn())\nawait agent('a')\n"
# A loop of asyncio.sleep(0) never lets an outcome in: wfsup(7).
for wait in ("sleep(10)", "agent('b')", "tool('bash')",
             "asyncio.Event().wait()", "asyncio.wait_for(sleep(9), 8)",
             "parallel([sleep(9)])", "asyncio.gather(sleep(9))"):
    stubborn(wait, wait, LEAVE + "return 'done'", "done")
stubborn("a bug", "sleep(10)", LEAVE + "1 / 0", Fails("ZeroDivisionError"))
stubborn("a bug in a sibling", "agent('b')", """
async def bug():
    await agent('a')
    1 / 0
await parallel([stubborn, bug])""", Fails("ZeroDivisionError", line=10))
stubborn("a bug in its group", "tool('bash')", """
async def bug():
    await agent('a')
    raise SystemExit(3)
async with asyncio.TaskGroup() as g:
    g.create_task(stubborn())
    g.create_task(bug())""", Fails("SystemExit", line=10))


def many_clean_up():
    r = run_script("""
import asyncio
n = 0
async def f():
    global n
    try: await asyncio.Event().wait()
    finally: n += 1
tasks = [asyncio.create_task(f()) for _ in range(3000)]
await agent('a')
async def last():
    try: await asyncio.Event().wait()
    finally: log(str(n))
tasks.append(asyncio.create_task(last()))
await sleep(1)
return 1""")
    assert r.value == 1
    assert r.events("log") == [{"message": "3000"}], r.events("log")


case("3,000 tasks clean up at the end", many_clean_up)

table([
    ("agent without await", "x = 1\nagent('a')\nreturn x",
     Fails("RuntimeError", "agent() in line 2 was never awaited", 2)),
    ("agent without await, kept in a variable", "x = agent('a')\nreturn 1",
     Fails("RuntimeError", "agent() in line 1 was never awaited", 1)),
    ("kept in a list of the script", "x = [agent('a')]\ny = x\nreturn 1",
     Fails("RuntimeError", "agent() in line 1 was never awaited", 1)),
    ("tool, sleep, parallel and pipeline",
     "tool('t')\nsleep(1)\nparallel([])\npipeline([])",
     Fails("RuntimeError", "tool() in line 1 was never awaited (and 3 "
           "more)", 1)),
    ("a coroutine of the script's own",
     "async def helper(): pass\nhelper()",
     Fails("RuntimeError", "helper() in line 2 was never awaited", 2)),
    ("in a helper", "def f():\n    agent('x')\nf()",
     Fails("RuntimeError", "agent() in line 2 was never awaited", 2)),
    ("in a cycle", "x = []\nx.append((x, agent('a')))\ndel x",
     Fails("RuntimeError", "agent() in line 2 was never awaited", 2)),
    ("inside a parallel that isn't awaited",
     "parallel([agent('a'), agent('b')])",
     Fails("RuntimeError", "parallel() in line 1 was never awaited", 1)),
    ("main called without await", "async def main(): pass\nmain()",
     Fails("RuntimeError", "main() in line 2 was never awaited", 2)),
    ("asyncio.sleep", "import asyncio\nasyncio.sleep(1)",
     Fails("RuntimeError", "sleep() in line 2 was never awaited", 2)),
    ("a coroutine used as its value says so", "x = agent('a')\nx['k']",
     Fails("TypeError", "not subscriptable (was the await of agent() in "
           "line 1 forgotten?)", 2)),
    ("a coroutine as text", "x = agent('a')\nx.upper()",
     Fails("AttributeError", "(was the await of agent() in line 1 "
           "forgotten?)", 2)),
    ("a coroutine that was closed is no forgotten one",
     "x = agent('a')\nx.close()\nreturn 1", 1),
    ("one that was handed to a task is none",
     "import asyncio\nt = asyncio.create_task(agent('a'))\nreturn 1", 1),
    ("an awaited one is none", "x = agent('a')\nreturn await x", "a"),
    ("other errors keep their text", "agent('a')\nraise ValueError('v')",
     Fails("ValueError", "v", 2)),
])


def not_awaited_traceback():
    r = run_script("x = 1\nagent('a')  # here")
    assert r.error["traceback"] == (
        '  File "<script>", line 2\n    agent(\'a\')  # here\n'
        "RuntimeError: agent() in line 2 was never awaited"), r.error


case("a forgotten await shows its line", not_awaited_traceback)
check("tasks left at the return are withdrawn, and nothing waits",
      run_script("import asyncio\nt = [asyncio.create_task(agent(c)) "
                 "for c in 'ab']\nawait asyncio.sleep(0)\nreturn 1")
      .cancels() == ["/t0/agent#0", "/t1/agent#0"])
finish()

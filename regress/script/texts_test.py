#!/usr/bin/python3 -IS
"""What a stranger is told: the text and the line of each common mistake."""

import os
import sys

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from harness import (  # noqa: E402
    Error, Fails, case, echo, finish, last, run_script, table)


def world(ask):
    prompt = ask["body"].get("prompt", "")
    if prompt.startswith("bad"):
        return Error("AgentError", "no " + prompt, "provider")
    return Error("ToolError", "none: no such file") \
        if ask["kind"] == "tool" else echo(ask)


# ---- time that has run out ----

table([
    ("timeout says how long", "import asyncio\n"
     "async with asyncio.timeout(0.25):\n    await sleep(9)",
     Fails("TimeoutError", "no result within 0.25 s", 2, cause="timeout")),
    ("wait_for says how long", "import asyncio\n"
     "await asyncio.wait_for(sleep(9), 2)",
     Fails("TimeoutError", "no result within 2 s", 2, cause="timeout")),
    ("timeout_at says how long", """
import asyncio
now = asyncio.get_running_loop().time()
async with asyncio.timeout_at(now + 3): await sleep(9)""",
     Fails("TimeoutError", "no result within 3 s", 4, cause="timeout")),
    ("a timeout that was moved", """
import asyncio
async with asyncio.timeout(3) as t:
    t.reschedule(asyncio.get_running_loop().time() + 5)
    await sleep(9)""", Fails("TimeoutError", "no result within 5 s", 3)),
    ("as_completed says how long", "import asyncio\n"
     "for f in asyncio.as_completed([sleep(9)], timeout=4): await f",
     Fails("TimeoutError", "no result within 4 s", 2, cause="timeout")),
    ("the inner of two timeouts is caught", """
import asyncio
async with asyncio.timeout(None):
    try:
        async with asyncio.timeout(1): await sleep(99)
    except TimeoutError as e:
        return [str(e), e.cause]""", ["no result within 1 s", "timeout"]),
    ("what fails by itself is not late", """
import asyncio
async with asyncio.timeout(9): 1 / 0""", Fails("ZeroDivisionError", "", 3)),
    ("asyncio.timeouts is the same", "import asyncio\n"
     "return asyncio.timeouts.timeout is asyncio.timeout", True),
])


def late_hole():
    r = run_script("import asyncio\nreturn await parallel("
                   "[asyncio.wait_for(sleep(9), 1)])")
    assert r.value == [None], r.value
    assert r.body["failures"] == [{
        "node": "/p0.0", "class": "TimeoutError", "cause": "timeout",
        "message": "no result within 1 s"}], r.body


case("a hole by timeout says how long", late_hole)

# ---- lines ----

table([
    ("a tool of a group has its own line", """
import asyncio
async with asyncio.TaskGroup() as g:
    g.create_task(sleep(9))
    g.create_task(tool("read", path="none"))""",
     Fails("ExceptionGroup", "unhandled errors in a TaskGroup: ToolError: "
           "none: no such file", 5, node="/t1/tool#0")),
    ("a branch of a strict fan has its own line", """
await parallel([
    sleep(1),
    tool("read", path="none"),
], strict=True)""", Fails("ExceptionGroup", "1 of 2 branches failed: "
                          "ToolError: none: no such file", 4)),
    ("a function that is a branch", """
def read():
    return tool("read", path="none")
await parallel([read], strict=True)""", Fails("ExceptionGroup", "", 3)),
    ("a task of a tool", """
import asyncio
t = asyncio.create_task(tool("read", path="none"))
await sleep(1)
await t""", Fails("ToolError", "", 5)),
    ("gathered tools", """
import asyncio
await asyncio.gather(
    tool("read", path="a"))""", Fails("ToolError", "", 3)),
    ("a line of the script that saw it wins", """
import asyncio
async def f():
    x = tool("read", path="none")
    return await x
async with asyncio.TaskGroup() as g:
    g.create_task(f())""", Fails("ExceptionGroup", "", 5)),
    ("cancelled by itself", """
import asyncio
asyncio.current_task().cancel()
await sleep(1)""", Fails("CancelledError", "the script cancelled itself", 4)),
    ("next() of nothing", "x = iter([])\n\nnext(x)",
     Fails("RuntimeError", "next() has found nothing", 3)),
    ("next() of nothing in a function", "async def f():\n    next(iter([]))"
     "\nawait f()", Fails("RuntimeError", "next() has found nothing", 2)),
    ("a wait for what was cancelled", """
import asyncio
t = asyncio.create_task(sleep(9))
t.cancel()
await t""", Fails("CancelledError", "awaited what was cancelled", 5)),
], answer=world)


def frames():
    r = run_script("""
import asyncio
async with asyncio.TaskGroup() as g:
    g.create_task(
        tool("read", path="none"))""", answer=world)
    assert '    |   File "<script>", line 5, in <module>\n' \
        '    |     tool("read", path="none"))' in r.error["traceback"], \
        r.error["traceback"]


case("the frame of a tool that is a task of its own", frames)

# ---- groups ----


def group_hole():
    r = run_script("return await parallel([lambda: parallel([agent('bad1'), "
                   "agent('bad2')], strict=True)])", answer=world)
    assert r.value == [None], r.value
    assert [f["message"] for f in r.body["failures"]] == [
        "2 of 2 branches failed: AgentError: no bad1 (and 1 more)"], r.body


case("a group that is a hole says what failed", group_hole)
table([
    ("a strict group is in the order of its slots", """
try: await parallel([agent('bad1'), agent('bad2'), agent('bad3')], strict=True)
except ExceptionGroup as g: return [str(e) for e in g.exceptions]""",
     ["no bad1", "no bad2", "no bad3"]),
], answer=world, order=last)

# ---- calls and awaits ----

table([
    ("await log", "await log('x')",
     Fails("TypeError", "(log() is not awaited)", 1)),
    ("await phase", "\nawait phase('x')",
     Fails("TypeError", "(phase() is not awaited)", 2)),
    ("await print", "await print('x')",
     Fails("TypeError", "(print() is not awaited)", 1)),
    ("await None", "await None", Fails("TypeError", "expression", 1)),
    ("await a list", "await [agent('a')]",
     Fails("TypeError", "`await parallel([...])`", 1)),
    ("await a generator", "await (agent(p) for p in 'ab')",
     Fails("TypeError", "`await asyncio.gather(*...)`", 1)),
    ("await a function", "async def f(): pass\nawait f",
     Fails("TypeError", "is it to be called?", 2)),
    ("tool with a text", "await tool('bash', 'ls')",
     Fails("TypeError", 'inputs have names: tool("bash", command="ls")', 1)),
    ("tool with a dict", "await tool('bash', {'command': 'ls'})",
     Fails("TypeError", "inputs have names", 1)),
    ("parallel with branches one by one", "a = agent('a')\nb = agent('b')\n"
     "await parallel(a, b)", Fails("TypeError", "parallel([a, b])", 3)),
    ("log with two texts", "log('a', 'b')",
     Fails("TypeError", 'data by name: log("found", count=3)', 1)),
    ("agent with two texts", "await agent('a', 'b')",
     Fails("TypeError", "options have names", 1)),
    ("sleep with two numbers", "await sleep(1, 2)",
     Fails("TypeError", "one number of seconds", 1)),
    ("phase with two texts", "phase('a', 'b')",
     Fails("TypeError", "one text", 1)),
    ("the same in a group", """
import asyncio
async def f(): await tool('bash', 'ls')
async with asyncio.TaskGroup() as g: g.create_task(f())""",
     Fails("ExceptionGroup", "inputs have names", 3)),
    ("a log of the script's own", "def log(x): pass\nlog('a', 'b')",
     Fails("TypeError", "log() takes 1 positional argument but 2 were given",
           2)),
    ("a keyword that agent has not", "await agent('a', retry=3)",
     Fails("TypeError", "its options are agent, model, schema, tools, ", 1)),
    ("a keyword that sleep has not", "await sleep(seconds=1, x=2)",
     Fails("TypeError", "unexpected keyword argument 'x'", 1)),
    ("tool with its name by name", "await tool(name='bash', command='ls')",
     Fails("TypeError", "the name comes first, and inputs have names: tool(", 1)),
    ("a tool as a function", "await bash('ls')",
     Fails("NameError", '`await tool("bash", ...)`', 1)),
    ("a tool as an attribute", "await tool.bash(command='ls')",
     Fails("AttributeError", '`await tool("bash", command="ls")`', 1)),
    ("args as an object", "return args.topic",
     Fails("AttributeError", "this dict has no keys", 1)),
    ("a dict as an object", "d = {'topic': 1}\nreturn d.topic",
     Fails("AttributeError", 'a dict has keys: ["topic"]', 2)),
    ("a key that is not there", "d = {'exit': 1, 'stdout': ''}\nreturn d.ok",
     Fails("AttributeError", 'this dict has ["exit"], ["stdout"]', 2)),
    ("a value parsed again", "import json\njson.loads(await tool('bash'))",
     Fails("TypeError", "a value already", 2)),
    ("with phase", "with phase('a'):\n    pass",
     Fails("TypeError", "phase() is a line of its own", 1)),
    ("async with phase", "async with phase('a'):\n    pass",
     Fails("TypeError", "phase() is a line of its own", 1)),
    ("gather of a list", "import asyncio\nawait asyncio.gather([agent('a')])",
     Fails("TypeError", "gather(*[...])", 2)),
    ("wait of coroutines", "import asyncio\nawait asyncio.wait([agent('a')])",
     Fails("TypeError", "asyncio.create_task() makes a task", 2)),
    ("a fan that is not awaited", "return parallel([agent('a')])",
     Fails("RuntimeError", "parallel() in line 1 was never awaited", 1)),
    ("a fan that is lost", "parallel([agent('a')])\nawait agent('b')",
     Fails("RuntimeError", "parallel() in line 1 was never awaited", 1)),
    ("three of a loop", "for i in range(3): agent('a')",
     Fails("RuntimeError", "agent() in line 1 was never awaited (and 2 more)",
           1)),
    ("a list of stages", "await pipeline([1], [str, int])",
     Fails("TypeError", "pipeline(items, first, second)", 1)),
    ("a dict of items", "await pipeline({'a': 1}, str)",
     Fails("TypeError", "list(d.items())", 1)),
    ("budget is read-only", "budget.total = 3",
     Fails("AttributeError", "budget is read-only", 1)),
    ("so is what was spent", "budget._spent = 3",
     Fails("AttributeError", "budget is read-only", 1)),
    ("a fence", "```python\nreturn 1\n```",
     Fails("SyntaxError", "a Markdown fence is not Python", 1)),
    ("a fence at the end", "return 1\n```",
     Fails("SyntaxError", "a Markdown fence is not Python", 2)),
    ("memory", "raise MemoryError",
     Fails("MemoryError", "more memory than its jail has", 1, cause="oom")),
    ("an assertion without a text", "assert not 1",
     Fails("AssertionError", "an assertion of the script does not hold", 1)),
    ("an error without a text", "raise AgentError",
     Fails("AgentError", "the script raised AgentError", 1)),
    ("a TimeoutError of the script", "raise TimeoutError",
     Fails("TimeoutError", "the script raised TimeoutError", 1)),
])


def empty():
    r = run_script("# nothing")
    assert r.error["traceback"] == "ScriptError: the script is empty", r.error


case("the traceback of an empty script", empty)

# ---- what is not JSON ----

for value, hint in (
        ("E.A", ".value"), ("datetime.datetime.now()", ".isoformat()"),
        ("datetime.date.today()", ".isoformat()"),
        ("datetime.time(1)", ".isoformat()"),
        ("datetime.timedelta(1)", ".total_seconds()"),
        ("range(3)", "list()"), ("collections.deque()", "list()"),
        ("(x for x in 'a')", "list()"), ("map(str, [1])", "list()"),
        ("{}.keys()", "list()"), ("{}.items()", "list()"),
        ("b'x'", ".decode()"), ("bytearray()", ".decode()"),
        ("{1}", "sorted()"), ("frozenset()", "sorted()"),
        ("uuid.uuid4()", "str()"), ("decimal.Decimal(1)", "str()"),
        ("fractions.Fraction(1)", "str()"), ("1j", ".real"),
        ("ValueError('x')", "str()"), ("len", "called"),
        ("budget.spent", "called"),
        ("lambda: 1", "called"),
        ("asyncio.get_running_loop().create_future()", "await")):
    case("a hint for " + value, lambda value=value, hint=hint: Fails(
        "TypeError", hint, 3).check(run_script(
            "import asyncio, collections, datetime, decimal, enum, fractions,"
            " uuid\nclass E(enum.Enum): A = 1\nreturn {'x': %s}" % value)))

finish()

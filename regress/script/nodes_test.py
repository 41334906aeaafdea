#!/usr/bin/python3 -IS
"""What agent, tool and sleep ask, what they give, and how they fail."""

import hashlib
import os
import sys

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from harness import (  # noqa: E402
    Error, Fails, case, check, finish, run_script, table)


def ask_of(source):
    result = run_script(source)
    assert result.done, result.body
    return result.asks()[0]


def digest(kind, text):
    return hashlib.sha256((kind + text).encode()).hexdigest()


# source, envelope besides path and digest, body, what is digested
ASKS = [
    ("a prompt", "await agent('hi')", {"kind": "agent"}, {"prompt": "hi"},
     'agent{"prompt":"hi"}'),
    ("all options", """await agent(
        'é', agent='a', model='m', schema={'b': 1, 'a': [True, None]},
        tools=['read', 'grep'], sandbox='s', label='L', phase='P',
        timeout=5, retries=2)""",
     {"kind": "agent", "agent": "a", "model": "m", "tools": "read,grep",
      "label": "L", "phase": "P"},
     {"prompt": "é", "agent": "a", "model": "m",
      "schema": {"b": 1, "a": [True, None]}, "tools": ["read", "grep"],
      "sandbox": "s", "label": "L", "phase": "P", "timeout": 5,
      "retries": 2},
     'agent{"agent":"a","model":"m","prompt":"é","sandbox":"s","schema":'
     '{"a":[true,null],"b":1},"tools":["read","grep"]}'),
    ("no tools at all is not the default", "await agent('x', tools=())",
     {"kind": "agent", "tools": ""}, {"prompt": "x", "tools": []},
     'agent{"prompt":"x","tools":[]}'),
    ("the current phase", "phase('one')\nawait agent('x')",
     {"kind": "agent", "phase": "one"}, {"prompt": "x"},
     'agent{"prompt":"x"}'),
    ("an own phase wins", "phase('one')\nawait agent('x', phase='two')",
     {"kind": "agent", "phase": "two"}, {"prompt": "x", "phase": "two"},
     'agent{"prompt":"x"}'),
    ("a long label is cut at a character",
     "await agent('x', label='é' * 200)",
     {"kind": "agent", "label": "é" * 128},
     {"prompt": "x", "label": "é" * 200}, 'agent{"prompt":"x"}'),
    ("a tool", "await tool('bash', command='ls', b=1)",
     {"kind": "tool", "tool": "bash"},
     {"name": "bash", "input": {"command": "ls", "b": 1}},
     'tool{"input":{"b":1,"command":"ls"},"name":"bash"}'),
    ("a tool without input", "await tool('t')",
     {"kind": "tool", "tool": "t"}, {"name": "t", "input": {}},
     'tool{"input":{},"name":"t"}'),
    ("a tool's input called name", "await tool('t', name=1, self=2)",
     {"kind": "tool", "tool": "t"},
     {"name": "t", "input": {"name": 1, "self": 2}},
     'tool{"input":{"name":1,"self":2},"name":"t"}'),
    ("a sleep", "await sleep(5)", {"kind": "sleep"}, {"seconds": 5},
     'sleep{"seconds":5}'),
    ("5.0 is 5", "await sleep(5.0)", {"kind": "sleep"}, {"seconds": 5},
     'sleep{"seconds":5}'),
    ("half a second", "await sleep(.5)", {"kind": "sleep"},
     {"seconds": .5}, 'sleep{"seconds":0.5}'),
    ("asyncio.sleep is sleep", "import asyncio\nawait asyncio.sleep(2)",
     {"kind": "sleep"}, {"seconds": 2}, 'sleep{"seconds":2}'),
    ("tuples and subclasses go by value", """
import enum, collections
class S(str): pass
class E(enum.IntEnum):
    A = 7
await tool('t', v=(S('s'), E.A, collections.OrderedDict(a=1.5)))""",
     {"kind": "tool", "tool": "t"},
     {"name": "t", "input": {"v": ["s", 7, {"a": 1.5}]}},
     'tool{"input":{"v":["s",7,{"a":1.5}]},"name":"t"}'),
]

for what, source, envelope, body, digested in ASKS:
    try:
        got = ask_of(source)
        want = dict(envelope, body=body, path="/%s#0" % envelope["kind"],
                    digest=digest("", digested))
        check("asks: " + what, got == want, got)
    except AssertionError as exc:
        check("asks: " + what, False, exc)

table([
    ("an agent's text", "return await agent('a')", "a"),
    ("values are JSON", "return await tool('t', a=[1, 2.5, None, {}])",
     {"a": [1, 2.5, None, {}]}),
    ("each answer is a value of its own",
     "x = await tool('t', a=[1])\nx['a'].append(2)\n"
     "return [x, await tool('t', a=[1])]", [{"a": [1, 2]}, {"a": [1]}]),
    ("sleep gives nothing", "return await sleep(1)", None),
    ("sleep(0) only yields", "return await sleep(0)", None),
    ("a negative sleep only yields", "return await sleep(-1)", None),
    ("agent is a coroutine function", "import asyncio\nreturn "
     "[asyncio.iscoroutinefunction(f) for f in "
     "(agent, tool, sleep, parallel, pipeline)]", [True] * 5),
    ("a coroutine awaited later", "c = agent('x')\nawait agent('y')\n"
     "return await c", "x"),
    ("a coroutine is awaited once",
     "c = agent('x')\nawait c\ntry:\n    await c\n"
     "except RuntimeError as e:\n    return str(e)",
     "cannot reuse already awaited coroutine"),
    ("budget without a total",
     "a = [budget.total, budget.spent(), budget.remaining()]\n"
     "await agent('x')\nreturn a + [budget.spent(), budget.remaining()]",
     [None, 0, None, 100, None]),
])
table([
    ("budget with a total", "await agent('x')\n"
     "return [budget.total, budget.spent(), budget.remaining()]",
     [150, 100, 50]),
    ("remaining is never negative", "await agent('x')\nawait agent('x')\n"
     "return budget.remaining()", 0),
], tokens=150)

table([
    ("a prompt that is no string", "await agent(['x'])",
     Fails("TypeError", "agent: prompt must be a string, not list", 1)),
    ("a prompt that was not awaited", "await agent(agent('x'))",
     Fails("TypeError", "not coroutine (was its await forgotten?)", 1)),
    ("no prompt", "await agent()",
     Fails("TypeError", "missing 1 required positional argument: 'prompt'")),
    ("two prompts", "await agent('a', 'b')",
     Fails("TypeError", "takes 1 positional argument but 2 were given")),
    ("an unknown option", "await agent('a', temperature=1)",
     Fails("TypeError", "unexpected keyword argument 'temperature'")),
    ("a NUL in a prompt", "await agent('a\\0')",
     Fails("ValueError", "agent: prompt: the string has a NUL", 1)),
    ("a lone surrogate in a prompt", "await agent('\\ud800')",
     Fails("ValueError", "agent: prompt: the string has a lone surrogate")),
    ("a schema that is no dict", "await agent('x', schema='string')",
     Fails("TypeError", "schema must be a JSON schema as a dict, not str")),
    ("a schema that isn't JSON", "await agent('x', schema={'t': {1, 2}})",
     Fails("TypeError", "agent: schema.t: set is not JSON")),
    ("tools as one string", "await agent('x', tools='read')",
     Fails("TypeError", "tools must be a list of names, not str")),
    ("tools that aren't names", "await agent('x', tools=['read', 3])",
     Fails("TypeError", "agent: tools[1] must be a string, not int")),
    ("tools that can't be listed", "await agent('x', tools=3)",
     Fails("TypeError", "agent: tools must be a list, not int")),
    ("65 tools", "await agent('x', tools=['read'] * 65)",
     Fails("ValueError", "tools must have at most 64 names, not 65")),
    ("a model of 129 bytes", "await agent('x', model='m' * 129)",
     Fails("ValueError", "agent: model must have 1 to 128 bytes")),
    ("an empty agent name", "await agent('x', agent='')",
     Fails("ValueError", "agent: agent must have 1 to 64 bytes")),
    ("a timeout of 0", "await agent('x', timeout=0)",
     Fails("ValueError", "timeout must be more than 0")),
    ("a timeout that is text", "await agent('x', timeout='5')",
     Fails("TypeError", "must be a number of seconds, not str")),
    ("retries as a bool", "await agent('x', retries=True)",
     Fails("TypeError", "retries must be an integer, not bool")),
    ("negative retries", "await agent('x', retries=-1)",
     Fails("ValueError", "retries must be 0 to 100")),
    ("a label that is no string", "await agent('x', label=3)",
     Fails("TypeError", "agent: label must be a string, not int")),
    ("tool without a name", "await tool()", Fails("TypeError", "'name'")),
    ("a tool's name that is no string", "await tool(3)",
     Fails("TypeError", "tool: name must be a string, not int")),
    ("an empty tool name", "await tool('')",
     Fails("ValueError", "tool: name must have 1 to 64 bytes")),
    ("a tool's input that isn't JSON",
     "await tool('bash', a=[1, {'b': object()}])",
     Fails("TypeError", "tool: input.a[1].b: object is not JSON")),
    ("sleep for text", "await sleep('5')",
     Fails("TypeError", "must be a number of seconds, not str")),
    ("sleep for NaN", "await sleep(float('nan'))",
     Fails("ValueError", "must be at most 3162240000 seconds, not float nan")),
    ("sleep for ever", "await sleep(float('inf'))",
     Fails("ValueError", "sleep: seconds must be a finite number")),
    ("sleep for ages", "await sleep(1e12)",
     Fails("ValueError", "sleep: seconds must be at most 3162240000 "
           "seconds, not float 1000000000000.0")),
    ("asyncio.sleep for NaN",
     "import asyncio\nawait asyncio.sleep(float('nan'))",
     Fails("ValueError", "must be at most 3162240000 seconds, not float nan")),
    ("17 MB of input", "await tool('t', a='x' * (17 << 20))",
     Fails("ValueError", "at most")),
])

# ---- outcomes that are failures ----

WAYS = [
    ("AgentError", "no answer", "provider", None, "no answer"),
    ("ToolError", "exit", "oom", None, "exit"),
    ("ScopeError", "tool bash is denied", None, "allow tools bash",
     "tool bash is denied (allow tools bash)"),
    ("ScopeError", "denied: allow tools bash", None, "allow tools bash",
     "denied: allow tools bash"),
    ("WorkflowError", "w", None, None, "w"),
    ("BudgetError", "no tokens", None, None, "no tokens"),
    ("Refused", "no", None, None, "no"),
    ("TimeoutError", "late", "timeout", None, "late"),
]
SEE = """
try:
    await agent('x')
except %s as e:
    return [type(e).__name__, str(e), e.node, e.cause, e.rule]
"""
for class_, message, cause, rule, text in WAYS:
    answer = (lambda ask, c=class_, m=message, k=cause, r=rule:
              Error(c, m, k, r))
    r = run_script(SEE % class_, answer=answer)
    check("%s is caught by its name, %s" % (class_, text),
          r.body["result"] == [class_, text, "/agent#0", cause, rule],
          r.body)
    r = run_script("\nawait agent('x')", answer=answer)
    case("%s that nobody catches ends the run, %s" % (class_, text),
         lambda: Fails(class_, text, 2, cause=cause,
                       node="/agent#0").check(r))

table([
    ("NodeError catches what is not known by name",
     "try:\n    await agent('x')\nexcept NodeError as e:\n    return str(e)",
     "OddError: it failed"),
], answer=lambda ask: Error("OddError"))
table([
    ("an error without a message has its class",
     "try:\n    await agent('x')\nexcept NodeError as e:\n    return str(e)",
     "AgentError"),
], answer=lambda ask: Error("AgentError", ""))


# ---- counters and paths ----

def paths(what, source, want, **options):
    r = run_script(source, **options)
    check("paths: " + what, r.done and r.paths() == want,
          r.paths() if r.done else r.body)


paths("counted by kind", "await agent('a')\nawait tool('t')\n"
      "await agent('a')\nawait sleep(1)\nawait sleep(1)",
      ["/agent#0", "/tool#0", "/agent#1", "/sleep#0", "/sleep#1"])
paths("three equal prompts are three nodes",
      "for _ in range(3): await agent('a')",
      ["/agent#0", "/agent#1", "/agent#2"])
paths("a refused call is no node",
      "try: await agent(3)\nexcept TypeError: pass\nawait agent('a')",
      ["/agent#0"])
paths("a call is where its first step runs", """
c = agent('x')
async def f(): return await c
import asyncio
await asyncio.create_task(f())
await agent('y')""", ["/t0/agent#0", "/agent#0"])
paths("of tasks", """
import asyncio
async def f(n):
    await agent('x')
    if n: await asyncio.gather(f(n-1), f(0))
await asyncio.gather(f(1), f(0))
await asyncio.create_task(f(0))""",
      ["/t0/agent#0", "/t1/agent#0", "/t0/t0/agent#0", "/t0/t1/agent#0",
       "/t2/agent#0"])


# ---- what is withdrawn ----

def withdrawn(what, source, want, **options):
    r = run_script(source, **options)
    check("withdraws: " + what, r.done and r.cancels() == want,
          r.cancels() if r.done else r.body)


withdrawn("a cancelled task's node", """
import asyncio
t = asyncio.create_task(agent('x'))
await agent('y')
t.cancel()
""", ["/t0/agent#0"])
withdrawn("what a timeout ends", """
import asyncio
try:
    async with asyncio.timeout(5): await agent('x')
except TimeoutError: return 'late'
""", ["/agent#0"], order=lambda p: [q for q in p if "sleep" in q][0])
withdrawn("the timer of a timeout that was not needed", """
import asyncio
async with asyncio.timeout(5): return await agent('x')
""", ["/sleep#0"], order=lambda p: [q for q in p if "agent" in q][0])
withdrawn("tasks still running at the return", """
import asyncio
t = asyncio.create_task(agent('x'))
await asyncio.sleep(0)
return 1""", ["/t0/agent#0"])
withdrawn("a task that never began asks nothing", """
import asyncio
t = asyncio.create_task(agent('x'))
return 1""", [])
finish()

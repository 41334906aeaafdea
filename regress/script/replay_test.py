#!/usr/bin/python3 -IS
"""A replay takes the same steps, from every prefix of what was recorded."""

import copy
import os
import sys

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from harness import (  # noqa: E402
    M, Error, Fails, case, check, finish, first, last, run_script, shuffled)


def world(ask):
    body = ask["body"]
    if ask["kind"] == "tool":
        return body["input"]
    return Error("AgentError", "bad") if "bad" in body["prompt"] \
        else body["prompt"]


SCRIPTS = {
    "calls in a row": """
out = []
for i in range(5):
    out.append(await agent(f'{out} {i}'))
return out""",
    "a fan": """
return await parallel([agent(f'a{i}') for i in range(6)])""",
    "a fan of fans with holes": """
async def f(n):
    r = await parallel([agent(f'{n}{i}' if i else 'bad') for i in range(3)])
    log('done', n=n)
    return [r, await tool('t', n=n)]
return await parallel({f'k{n}': f(n) for n in range(3)})""",
    "a pipeline": """
phase('one')
return await pipeline(range(4), lambda v: agent(str(v)),
                      lambda v, item, i: tool('t', v=v, i=i))""",
    "a race": """
import asyncio
tasks = [asyncio.create_task(agent(c)) for c in 'abcd']
won = []
while tasks:
    done, rest = await asyncio.wait(tasks,
                                    return_when=asyncio.FIRST_COMPLETED)
    for t in done: won.append(await t)
    tasks = list(rest)
    await agent('after ' + ' '.join(won))
return won""",
    "as_completed": """
import asyncio
out = []
for c in asyncio.as_completed([agent(c) for c in 'abcd']):
    out.append(await c)
    await tool('t', out=out)
return out""",
    "a race that cancels the losers": """
import asyncio
async def race(*prompts):
    tasks = [asyncio.create_task(agent(p)) for p in prompts]
    done, rest = await asyncio.wait(tasks,
                                    return_when=asyncio.FIRST_COMPLETED)
    for t in rest: t.cancel()
    return sorted([await t for t in done])
return [await race('a', 'b', 'c'), await race('d', 'e')]""",
    "timeouts": """
import asyncio
async def f(n):
    try:
        async with asyncio.timeout(n): return await agent(str(n))
    except TimeoutError: return await agent(f'{n} was late')
return await parallel([f(n) for n in range(1, 5)])""",
    "wait_for and sleep": """
import asyncio
async def f(n):
    await asyncio.sleep(n)
    return await asyncio.wait_for(agent(str(n)), 5)
return await asyncio.gather(*(f(n) for n in range(3)),
                            return_exceptions=True) == []""",
    "time and chance": """
import time, random, uuid, datetime
async def f(n):
    a = await agent(str(n))
    return [a, time.time(), random.random(), str(uuid.uuid4()),
            str(datetime.datetime.now()), str(uuid.uuid1())]
return await parallel([f(n) for n in range(4)])""",
    "queues and locks": """
import asyncio
queue, out, lock = asyncio.Queue(), [], asyncio.Lock()
async def worker(n):
    while True:
        item = await queue.get()
        r = await agent(f'{item}')
        async with lock:
            await tool('t', n=n)
            out.append([n, r])
        queue.task_done()
for i in range(5): queue.put_nowait(i)
workers = [asyncio.create_task(worker(n)) for n in range(2)]
await queue.join()
for w in workers: w.cancel()
return out""",
    "sets of tasks": """
import asyncio
tasks = {asyncio.create_task(agent(c)) for c in 'abcdefgh'}
out = []
for t in tasks: out.append(await agent('then ' + await t))
return out""",
    "a task group": """
import asyncio
out = []
async def f(c):
    out.append(await agent(c))
    out.append(await agent(c + str(len(out))))
async with asyncio.TaskGroup() as g:
    for c in 'abc': g.create_task(f(c))
return out""",
    "a branch decides what a later one asks": """
seen = []
async def f(c):
    await agent(c)
    seen.append(c)
    return await agent(c + ' after ' + ''.join(seen))
return await parallel([f(c) for c in 'abcd'], limit=3)""",
    "an async generator left alone": """
async def g():
    try:
        for i in range(3): yield await agent(str(i))
    finally:
        log('closed')
async for x in g():
    if x == '1': break
return await agent('after')""",
    "a script that fails": """
await parallel([agent('a'), agent('b')])
await agent('bad')""",
}


def events(result):
    return [s for s in result.sent if s[0] == M.SCRIPT_EVENT]


def every_prefix(source, order):
    whole = run_script(source, answer=world, order=order())
    assert whole.ends == 1, whole.sent
    recorded = whole.given
    for k in range(len(recorded) + 1):
        again = run_script(source, answer=world, order=order(),
                           replay=recorded[:k])
        assert again.ends == 1, (k, again.sent)
        asked = set(again.paths())
        assert not asked & {row[0] for row in recorded[:k]}, (k, asked)
        if k == len(recorded):
            assert not again.given, again.given
            assert again.body == whole.body, (whole.body, again.body)
            assert events(again) == events(whole), k
    return whole


for name, source in SCRIPTS.items():
    for what, order in (("last", lambda: last), ("any", lambda: shuffled(3))):
        case("replays %s from every prefix, order %s" % (name, what),
             lambda: every_prefix(source, order))


def goes_on_as_it_was():
    """With the same outcomes to come, a replay ends as the first run."""
    for name, source in SCRIPTS.items():
        whole = run_script(source, answer=world, order=shuffled(5))
        for k in range(len(whole.given)):
            rest = [row[0] for row in whole.given[k:]]
            again = run_script(
                source, answer=world, replay=whole.given[:k],
                order=lambda paths: next(p for p in rest if p in paths
                                         and not rest.remove(p)))
            assert again.body == whole.body, (name, k, again.body)
            assert again.given == whole.given[k:], (name, k)


def same_paths_in_any_order():
    source = """
import asyncio
async def f(n):
    a = await agent(f'x{n}')
    b, c = await asyncio.gather(agent('y'), tool('t'))
    return await parallel({'k': agent('z'), 'l': tool('u')}, limit=1)
await pipeline(range(5), f, lambda v: agent('end'))
await parallel([f(n) for n in range(3)])"""
    want = None
    for seed in range(20):
        r = run_script(source, order=shuffled(seed))
        got = {a["path"]: a["digest"] for a in r.asks()}
        assert r.done and (want is None or got == want), seed
        want = got


case("goes on as it was, from every prefix", goes_on_as_it_was)
case("the same paths and digests in 20 orders of completion",
     same_paths_in_any_order)

# ---- what does not match ----

BASE = "a = await agent('a')\nb = await agent('b')\nreturn a + b"
recorded = run_script(BASE).given


def differs(what, source, replay, fails):
    case(what, lambda: fails.check(run_script(source, replay=replay)))


differs("another prompt is told with node, then and now",
        BASE.replace("'b'", "'c'"), recorded,
        Fails("NondeterminismError", "node /agent#1: then its input had the "
              "digest %s, now it has" % recorded[1][1][:12], 2,
              node="/agent#1"))
differs("the input of now is in the text", BASE.replace("'b'", "'c'"),
        recorded, Fails("NondeterminismError", 'agent {"prompt":"c"}'))
differs("a call that is gone", "b = 1\nreturn await agent('b')", recorded,
        Fails("NondeterminismError", "node /agent#0", None))
differs("a recorded node that is not begun",
        "return await tool('t')", recorded,
        Fails("NondeterminismError", "node /agent#0: then it had begun",
              node="/agent#0"))
differs("a script can't catch it", """
try: await agent('zzz')
except Exception: pass
except BaseException: pass
await agent('b')
return 'went on'""", recorded, Fails("NondeterminismError", "/agent#0"))
differs("nor a parallel turn it into a hole",
        "return await parallel([agent('x')])",
        [["/p0.0/agent#0", "0" * 64, 5, 1, True, "x"]],
        Fails("NondeterminismError", "/p0.0/agent#0"))


def early_end():
    """A script may end before all that was recorded is delivered."""
    source = """
import asyncio
t = asyncio.create_task(agent('slow'))
r = await agent('quick')
return r"""
    rows = run_script(source + "\n", order=first).given
    more = copy.deepcopy(rows) + [["/t0/agent#0", None, 9, 9, True, "slow"]]
    ask = [a for a in run_script(source).asks()
           if a["path"] == "/t0/agent#0"][0]
    more[-1][1] = ask["digest"]
    r = run_script(source, replay=more)
    assert r.value == "quick" and not r.asks(), r.body


def dropped_outcome():
    """An outcome that came after its node was withdrawn is skipped."""
    source = """
import asyncio
t = asyncio.create_task(agent('slow'))
await agent('quick')
t.cancel()
return [await agent('next'), budget.spent()]"""
    r = run_script(source, order=lambda p: [q for q in p if "t0" not in q][0])
    digests = {a["path"]: a["digest"] for a in r.asks()}
    assert r.value == ["next", 200], r.value
    rows = r.given[:1] + [["/t0/agent#0", digests["/t0/agent#0"],
                           r.given[0][2] + 1, 999, True, "late"]] \
        + r.given[1:]
    again = run_script(source, replay=rows)
    assert again.value == ["next", 200], again.value
    assert not again.asks() and not again.cancels(), again.sent


def withdrawn_in_replay():
    """What was withdrawn and never recorded is not asked again."""
    source = """
import asyncio
t = asyncio.create_task(agent('slow'))
await agent('quick')
t.cancel()
return await agent('next')"""
    r = run_script(source, order=lambda p: [q for q in p if "t0" not in q][0])
    again = run_script(source, replay=r.given)
    assert again.value == "next" and not again.asks(), again.sent


def held_until_the_end_of_the_replay():
    source = """
import asyncio
t = asyncio.create_task(agent('slow'))
await agent('quick')
return await t"""
    r = run_script(source, order=lambda p: [q for q in p if "t0" not in q][0]
                   if any("t0" not in q for q in p) else p[0])
    again = run_script(source, replay=r.given[:1])
    assert again.paths() == ["/t0/agent#0"] and again.value == "slow"


def failures_replay():
    source = "return await parallel([agent('bad'), agent('b')])"
    r = run_script(source, answer=world)
    again = run_script(source, answer=world, replay=r.given)
    assert again.body == r.body and again.body["failures"], again.body
    assert events(again) == events(r)


def events_are_numbered():
    source = """
log('a')
phase('b')
await parallel([agent('bad')])
print('c')"""
    r = run_script(source, answer=world)
    got = [(e[1]["kind"], e[1]["n"]) for e in events(r)]
    assert got == [("log", 0), ("phase", 1), ("hole", 2), ("log", 3)], got


def many():
    source = "r = await parallel([agent(str(i)) for i in range(10000)])\n" \
        "return len(r)"
    r = run_script(source)
    again = run_script(source, replay=r.given)
    assert again.value == 10000 and not again.asks()


def deadlock():
    for source in ("import asyncio\nawait asyncio.Event().wait()",
                   "import asyncio\nawait asyncio.get_running_loop()"
                   ".create_future()",
                   "import asyncio\nq = asyncio.Queue()\n"
                   "await parallel([q.get(), agent('x')])"):
        r = run_script(source)
        assert r.error["class"] == "DeadlockError", r.error
        assert "can never happen" in r.error["message"], r.error
        assert r.error["line"] == source.count("\n") + 1, r.error


case("a script may end before all that is recorded", early_end)
case("an outcome of a withdrawn node changes nothing", dropped_outcome)
case("a node withdrawn in the replay is not asked", withdrawn_in_replay)
case("a question is held until the replay is over",
     held_until_the_end_of_the_replay)
case("failures replay as failures", failures_replay)
case("events count from 0 over all kinds", events_are_numbered)
case("10,000 nodes are replayed", many)
case("a wait that nothing can end is told", deadlock)
check("seeds differ", run_script(
    "import random\nreturn random.random()", seed="a").value != run_script(
    "import random\nreturn random.random()", seed="b").value)
finish()

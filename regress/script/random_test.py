#!/usr/bin/python3 -IS
"""Random programs of branches, races and timeouts: a replay from anywhere
ends as the first run did."""

import os
import random
import sys

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from harness import Error, case, finish, run_script, shuffled  # noqa: E402

PROGRAMS = 40

HEAD = """
import asyncio, random, time
trace = []

async def note(name, value):
    trace.append(name)
    if random.random() < .3:
        log(name, seen=len(trace), now=time.time())
    return [name, value]

async def race(*coros):
    tasks = [asyncio.create_task(c) for c in coros]
    done, rest = await asyncio.wait(
        tasks, return_when=asyncio.FIRST_COMPLETED)
    for t in rest:
        t.cancel()
    return [t.exception() is None and t.result() for t in done]

async def limited(seconds, coro):
    try:
        async with asyncio.timeout(seconds):
            return await coro
    except TimeoutError:
        return 'late'

async def each(*coros):
    out = []
    for c in asyncio.as_completed(coros):
        try: out.append(await c)
        except NodeError as e: out.append(str(e))
    return out
"""


def call(rng, later):
    """An expression that is a coroutine; later are functions to call."""
    if later and rng.random() < .7:
        return "f%d()" % rng.choice(later)
    prompt = rng.choice(("a", "b", "bad", "c"))
    return rng.choice((
        "agent('%s' + str(len(trace)))" % prompt,
        "agent('%s')" % prompt,
        "tool('t', n=len(trace))",
        "sleep(%d)" % rng.randint(0, 4)))


def statement(rng, later):
    calls = [call(rng, later) for _ in range(rng.randint(1, 3))]
    many = ", ".join(calls)
    return rng.choice((
        "parallel([%s])" % many,
        "parallel([%s], limit=1)" % many,
        "parallel({%s})" % ", ".join(
            "'k%d': %s" % kc for kc in enumerate(calls)),
        "asyncio.gather(%s, return_exceptions=True)" % many,
        "race(%s)" % many,
        "limited(%d, parallel([%s]))" % (rng.randint(1, 5), many),
        "each(%s)" % many,
        "pipeline([1, 2], lambda v: parallel([%s]), lambda v: [v])" % many))


def program(seed):
    rng = random.Random(seed)
    count = rng.randint(2, 5)
    lines = [HEAD]
    for i in range(count):
        later = list(range(i + 1, count))
        lines.append("async def f%d():" % i)
        lines.append("    r = []")
        for _ in range(rng.randint(1, 2)):
            lines.append("    r.append(str(await %s))"
                         % statement(rng, later))
        lines.append("    return await note('f%d', r)" % i)
    return "\n".join(lines + ["return [await f0(), trace]", ""])


def world(ask):
    body = ask["body"]
    if ask["kind"] == "tool":
        return body["input"]["n"]
    return Error("AgentError", body["prompt"]) if "bad" in body["prompt"] \
        else body["prompt"]


def replays(seed):
    source = program(seed)
    whole = run_script(source, answer=world, order=shuffled(seed))
    assert whole.done, (source, whole.body)
    for k in random.Random(seed).sample(range(len(whole.given) + 1),
                                        min(3, len(whole.given) + 1)):
        rest = [row[0] for row in whole.given[k:]]
        again = run_script(
            source, answer=world, replay=whole.given[:k],
            order=lambda paths: next(p for p in rest if p in paths
                                     and not rest.remove(p)))
        assert again.body == whole.body, (source, k, again.body)
        assert again.given == whole.given[k:], (source, k)
        assert again.events("log") == whole.events("log"), (source, k)


for seed in range(PROGRAMS):
    case("random program %d replays" % seed, lambda: replays(seed))
finish()

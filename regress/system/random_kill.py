"""Random programs, each run twice: in peace, and while rooms are killed at
random moments. Result, failures and recorded nodes must be the same.

random_kill.py FIRST LAST: seeds. Runs inside of etc/scratch with a model
called slow; see random_kill.sh.
"""
import json
import os
import random
import shutil
import sqlite3
import subprocess
import sys
import tempfile
import time

SCRATCH = os.environ["WFSUP_SCRATCH"]
SLOW = int(os.environ.get("WFSUP_SLOW", 1))
ROOMS = ("wfsup-broker", "wfsup-keeper", "wfsup-gateway", "wfsup-script",
         "wfsup-tool", "wfsup-reader")
HEAD = """
import asyncio, random, time, uuid

async def race(coro):
    tasks = [asyncio.create_task(sleep(99)), asyncio.create_task(coro)]
    done, rest = await asyncio.wait(
        tasks, return_when=asyncio.FIRST_COMPLETED)
    for task in rest:
        task.cancel()
    return [task.exception() or task.result() for task in done]

async def limited(seconds, coro):
    try:
        async with asyncio.timeout(seconds):
            return await coro
    except TimeoutError as e:
        return str(e)

async def guarded(coro):
    try:
        return await coro
    except NodeError as e:
        return str(e)
    finally:
        log("left", chance=random.random(), id=str(uuid.uuid4()),
            now=time.time())

async def each(*coros):
    return sorted([str(await c) for c in
                   asyncio.as_completed(map(guarded, coros))])

async def group(*coros):
    async with asyncio.TaskGroup() as g:
        tasks = [g.create_task(guarded(c)) for c in coros]
    return [task.result() for task in tasks]

async def queue(*coros):
    todo, out = asyncio.Queue(), []
    async def work():
        while True:
            out.append(str(await guarded(await todo.get())))
            todo.task_done()
    worker = asyncio.create_task(work())
    for coro in coros:
        todo.put_nowait(coro)
    await todo.join()
    worker.cancel()
    return sorted(out)

chance = random.random()
"""


def call(rng, later):
    """An expression that is a coroutine; later are functions to call."""
    if later and rng.random() < .6:
        return "f%d()" % rng.choice(later)
    return rng.choice((
        "agent('x')", "agent('FATAL')", "tool('read', path='none')",
        "agent('count %d')" % rng.randint(1, 5),
        "tool('read', path='%d.txt')" % rng.randint(1, 6),
        "tool('grep', pattern=str(chance), path='.')",
        "tool('glob', pattern='*.txt')", "limited(0.1, sleep(50))",
        "sleep(%s)" % rng.choice(("0", "0.01", "0.1", "0.25"))))


def statement(rng, later):
    calls = [call(rng, later) for _ in range(rng.randint(1, 4))]
    many = ", ".join(calls)
    return rng.choice((
        "parallel([%s])" % many,
        "parallel([%s], limit=2)" % many,
        "parallel({%s})" % ", ".join(
            "'k%d': %s" % kc for kc in enumerate(calls)),
        "asyncio.gather(%s, return_exceptions=True)" % many,
        "limited(90, parallel([%s]))" % many,
        "each(%s)" % many, "group(%s)" % many, "queue(%s)" % many,
        "race(sleep(0.1))",
        "pipeline([1, 2, 3], lambda v: parallel([%s]), "
        "lambda v, item, i: [v, item, i], limit=2)" % many))


def program(seed):
    rng = random.Random(seed)
    count = rng.randint(2, 5)
    lines = [HEAD]
    for i in range(count):
        later = list(range(i + 1, count))
        lines += ["async def f%d():" % i, "    r = []"]
        lines += ["    r.append(str(await %s))" % statement(rng, later)
                  for _ in range(rng.randint(1, 2))]
        lines += ["    log('f%d', r=r)" % i, "    return r"]
    return "\n".join(lines + ["return [await f0(), await f1()]", ""])


def kill(room):
    with open(SCRATCH + "/pid") as f:
        daemon = f.read().strip()
    rows = subprocess.run(["ps", "-o", "pid=,args=", "--ppid", daemon],
                          capture_output=True, text=True).stdout
    for row in rows.splitlines():
        pid, args = row.split(None, 1)
        if room + " " in args + " ":
            os.kill(int(pid), 9)
            return


def recorded(run):
    """The run's settled nodes, from a copy: the keeper's store is locked."""
    with tempfile.TemporaryDirectory() as copy:
        for name in os.listdir(SCRATCH + "/state/keeper"):
            if name.startswith("keeper.db"):
                shutil.copy(SCRATCH + "/state/keeper/" + name, copy)
        store = sqlite3.connect(copy + "/keeper.db")
        rows = store.execute(
            "SELECT path, ok, value FROM nodes WHERE done NOT NULL AND"
            " run = (SELECT num FROM runs WHERE id = ?)", (run,)).fetchall()
        store.close()
        return sorted(rows)


def run(source, workspace, kills):
    """What came of it, and how long it took."""
    begun = time.time()
    id = subprocess.run(
        ["wfsupctl", "submit", "--workspace", workspace, "-"], input=source,
        capture_output=True, text=True, check=True).stdout.split()[0]
    waits = subprocess.Popen(["wfsupctl", "result", "--wait", "--json", id],
                             stdout=subprocess.PIPE,
                             stderr=subprocess.DEVNULL, text=True)
    for moment, room in kills:
        time.sleep(max(0, moment - (time.time() - begun)))
        kill(room)
    said = waits.communicate(timeout=100 * SLOW)[0]
    out = json.loads(said.splitlines()[-1])
    failures = sorted(json.dumps(row) for row in out["failures"])
    return [out["state"], out["error"], out["result"], failures,
            recorded(id)], time.time() - begun


def survives(seed, workspace):
    rng = random.Random(seed)
    source = program(seed)
    peace, took = run(source, workspace, [])
    kills = sorted((rng.uniform(0, took), rng.choice(ROOMS))
                   for _ in range(rng.randint(1, 3)))
    war, _ = run(source, workspace, kills)
    if war == peace and peace[1] is None:
        print("ok random program %d, %d nodes, %s killed" % (
            seed, len(peace[4]), ", ".join(room for _, room in kills)),
              flush=True)
        return True
    print("not ok random program %d, kills %r: %r, but in peace %r"
          % (seed, kills, war, peace))
    return False


def main():
    good = True
    with tempfile.TemporaryDirectory() as workspace:
        os.chmod(workspace, 0o755)
        for n in range(1, 6):
            with open("%s/%d.txt" % (workspace, n), "w") as f:
                f.writelines("%d\n" % i for i in range(1, n + 1))
        for seed in range(int(sys.argv[1]), int(sys.argv[2])):
            good = survives(seed, workspace) and good
    sys.exit(not good)


main()

#!/usr/bin/python3 -IS
"""Modules, time, chance, print, and what there is not in a jail."""

import os
import sys

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from harness import (  # noqa: E402
    NOW, Fails, case, check, finish, run_script, table)

OFFERED = """__future__ abc asyncio base64 bisect cmath collections contextlib
copy csv dataclasses datetime decimal difflib enum fractions functools hashlib
heapq html io itertools json math operator random re statistics string struct
textwrap time typing unicodedata uuid""".split()
REFUSED = """os sys socket subprocess threading multiprocessing ctypes pathlib
shutil importlib builtins inspect gc signal pickle urllib http sqlite3 tempfile
_jail _wf_main messages numpy requests os.path selectors ssl _thread posix
__main__ _io _strptime concurrent.futures""".split()

table([("imports " + m, "import %s as m\nreturn 1" % m, 1) for m in OFFERED
       if m != "__future__"])
table([("refuses to import " + m, "x = 1\nimport %s" % m,
        Fails("ModuleNotFoundError", "there is no module '%s' in a "
              "workflow: a script can import __future__, abc, asyncio, "
              "base64," % m, 2)) for m in REFUSED])
table([
    ("refuses from os import path", "from os import path",
     Fails("ModuleNotFoundError", "there is no module 'os'", 1)),
    ("refuses __import__('os')", "__import__('os')",
     Fails("ModuleNotFoundError", "there is no module 'os'", 1)),
    ("refuses an import in a function", "def f():\n    import os\nf()",
     Fails("ModuleNotFoundError", "'os'", 2)),
    ("refuses an import in exec", "exec('import os', {})",
     Fails("ModuleNotFoundError", "'os'", 1)),
    ("an ImportError can be caught",
     "try:\n    import numpy\nexcept ImportError as e:\n    return e.name",
     "numpy"),
    ("refuses a relative import", "from . import x", Fails("ImportError")),
    ("a part that an offered module has not", "import json.nothing",
     Fails("ModuleNotFoundError", "json.nothing", 1)),
    ("a name that an offered module has not", "from math import nothing",
     Fails("ImportError", "cannot import name 'nothing'", 1)),
    ("parts of offered modules", "import collections.abc, html.parser, "
     "html.entities, json.decoder, asyncio.queues\n"
     "from collections.abc import Mapping\nreturn Mapping.__name__",
     "Mapping"),
    ("strptime, whose C code imports for itself",
     "import datetime, time\n"
     "return [str(datetime.datetime.strptime('2020-02-03', '%Y-%m-%d')), "
     "time.strptime('03', '%d').tm_mday]", ["2020-02-03 00:00:00", 3]),
    ("codecs are found", "return [b'\\xe9'.decode('latin-1'), "
     "'a'.encode('utf-16').hex(), 'x'.encode('idna').hex(), "
     "b'\\x80'.decode('cp1252')]", ["é", "fffe6100", "78", "€"]),
    ("a codec that isn't loaded", "return 'x'.encode('koi8_r')",
     Fails("LookupError", "unknown encoding: koi8_r", 1)),
    ("named characters", "return '\\N{GREEK SMALL LETTER ALPHA}'", "α"),
    ("decimals, fractions, statistics", """
import decimal, fractions, statistics
return [str(decimal.Decimal('1.10') + 1), str(fractions.Fraction(1, 3)),
        statistics.mean([1, 2, 3])]""", ["2.10", "1/3", 2]),
    ("csv over a string", "import csv, io\n"
     "return list(csv.DictReader(io.StringIO('a,b\\n1,2')))",
     [{"a": "1", "b": "2"}]),
    ("dataclasses, enums, namedtuples, regular expressions", """
import dataclasses, enum, collections, re, typing
@dataclasses.dataclass(order=True)
class A:
    x: int = 1
    y: list = dataclasses.field(default_factory=list)
class B(enum.Enum):
    C = enum.auto()
class D(typing.NamedTuple):
    z: int
class E(typing.TypedDict):
    q: int
return [repr(A()), repr(B.C), repr(D(1)), re.sub('a+', 'b', 'caat'),
        E(q=1)]""",
     ["A(x=1, y=[])", "<B.C: 1>", "D(z=1)", "cbt", {"q": 1}]),
    ("hashes", "import hashlib, base64\nreturn [hashlib.sha256(b'').hexdigest"
     "()[:8], hashlib.new('md5', b'').hexdigest()[:8], "
     "base64.b64encode(b'x').decode()]", ["e3b0c442", "d41d8cd9", "eA=="]),
    ("copying and pretty text", "import copy, textwrap, difflib\nreturn "
     "[copy.deepcopy({'a': [1]}), textwrap.fill('a b', 1), "
     "''.join(difflib.ndiff(['a'], ['b']))]",
     [{"a": [1]}, "a\nb", "- a+ b"]),
])

# ---- time ----

table([
    ("time is the last event's", "import time\na = time.time()\n"
     "b = time.time()\nawait agent('x')\nreturn [a, b, time.time()]",
     [NOW / 1000, NOW / 1000, NOW / 1000 + .01]),
    ("clocks begin at 0", "import time\nawait sleep(2)\nreturn "
     "[time.monotonic(), time.perf_counter(), time.process_time(), "
     "time.monotonic_ns(), time.time_ns()]",
     [2.0, 2.0, 2.0, 2 * 10**9, (NOW + 2000) * 10**6]),
    ("the loop's time", "import asyncio\nawait sleep(1.5)\n"
     "return asyncio.get_running_loop().time()", 1.5),
    ("a clock never goes back", "import time\nawait sleep(1)\n"
     "return time.monotonic() >= 1", True),
    ("broken-down time is UTC", "import time\nreturn [time.gmtime()[:6], "
     "time.localtime()[:6], time.strftime('%Y-%m-%d %H:%M:%S %Z'), "
     "time.ctime(), time.asctime(), time.gmtime(0).tm_year, time.timezone]",
     [[2023, 11, 14, 22, 13, 20]] * 2 + [
         "2023-11-14 22:13:20 UTC"] + ["Tue Nov 14 22:13:20 2023"] * 2
     + [1970, 0]),
    ("datetime", """
import datetime as d
x = d.datetime.now()
return [str(x), repr(x), str(d.datetime.now(d.timezone.utc)),
        str(d.datetime.utcnow()), str(d.datetime.today()),
        str(d.date.today()), type(x + d.timedelta(1)) is d.datetime,
        isinstance(d.datetime.min, d.datetime),
        isinstance(d.datetime.fromisoformat('2020-01-01'), d.date),
        d.datetime.now(d.timezone.utc).isoformat(),
        str(x.astimezone(d.timezone.utc)), d.datetime.__name__,
        d.datetime.combine(d.date(2020, 1, 1), d.time(1)).hour]""",
     ["2023-11-14 22:13:20", "datetime.datetime(2023, 11, 14, 22, 13, 20)",
      "2023-11-14 22:13:20+00:00", "2023-11-14 22:13:20",
      "2023-11-14 22:13:20", "2023-11-14", True, True, True,
      "2023-11-14T22:13:20+00:00", "2023-11-14 22:13:20+00:00", "datetime",
      1]),
    ("datetimes are copied", "import copy, datetime\n"
     "x = datetime.datetime.now()\nreturn copy.deepcopy(x) == x", True),
    ("from datetime import datetime", "from datetime import datetime\n"
     "return str(datetime.now())", "2023-11-14 22:13:20"),
    ("time.sleep says what to use", "import time\ntime.sleep(1)",
     Fails("RuntimeError", "use `await sleep(seconds)`", 2)),
    ("from time import sleep too", "from time import sleep\nsleep(1)",
     Fails("RuntimeError", "use `await sleep(seconds)`", 2)),
])

CHANCE = """
import random, uuid
r = random.Random()
return [random.random(), random.randint(1, 10**9), random.sample(range(99), 3),
        r.random(), random.SystemRandom().random(), str(uuid.uuid4()),
        str(uuid.uuid1()), random.gauss(0, 1), random.randbytes(4).hex(),
        random.choices('abc', k=3), uuid.getnode() == uuid.getnode()]
"""


def chance():
    a = run_script(CHANCE, seed="a").value
    assert a == run_script(CHANCE, seed="a").value
    b = run_script(CHANCE, seed="b").value
    assert a[-1] is True and all(x != y for x, y in zip(a[:9], b[:9])), b


case("chance comes from the seed", chance)
table([
    ("a seed of the script's own", "import random\nrandom.seed(1)\n"
     "a = random.random()\nrandom.seed(1)\nr = random.Random(1)\n"
     "return [a == random.random() == r.random(), a]",
     [True, 0.13436424411240122]),
    ("seeding with nothing differs", "import random\nrandom.seed()\n"
     "a = random.random()\nrandom.seed()\nreturn a != random.random()",
     True),
    ("getstate and setstate", "import random\ns = random.getstate()\n"
     "a = random.random()\nrandom.setstate(s)\n"
     "return a == random.random()", True),
    ("uuid versions", "import uuid\nreturn [uuid.uuid4().version, "
     "uuid.uuid1().version, uuid.uuid1() != uuid.uuid1(), "
     "str(uuid.uuid5(uuid.NAMESPACE_DNS, 'x'))]",
     [4, 1, True, "05b16a01-46c6-56dd-bd6e-c6dfb4a1427a"]),
])

# ---- print and log ----


def logged(what, source, want):
    r = run_script(source)
    check("logs: " + what, r.done and r.events("log") == want,
          r.events("log") if r.done else r.body)


logged("print", "print('a', 1, [2])", [{"message": "a 1 [2]"}])
logged("each line apart", "print('a\\nb\\n')",
       [{"message": "a"}, {"message": "b"}, {"message": ""}])
logged("what is printed in pieces",
       "print('a', end='')\nprint('b', end='')\nprint()\nprint('c', end='')",
       [{"message": "ab"}, {"message": "c"}])
logged("print with a separator", "print(1, 2, sep='-', end='!\\n')",
       [{"message": "1-2!"}])
logged("print with nothing set", "print(1, 2, sep=None, end=None)",
       [{"message": "1 2"}])
logged("print to a file of the script is no log",
       "import io\nf = io.StringIO()\nprint('x', file=f)\nlog(f.getvalue())",
       [{"message": "x\n"}])
logged("print of what is no text", "print('\\ud800\\0')",
       [{"message": "\\ud800\\x00"}])
logged("a log with data", "log('m', a=1, b=[None])",
       [{"message": "m", "data": {"a": 1, "b": [None]}}])
logged("a log of a value", "log({'a': 1})", [{"message": '{"a":1}'}])
logged("a log of a number", "log(3)", [{"message": "3"}])


def long_line():
    r = run_script("print('x' * 10**6)\nlog('y' * 10**5)")
    got = [len(e["message"]) for e in r.events("log")]
    assert got == [16 * 1024 + 3, 10**5], got


case("a printed line is cut, a logged one is not", long_line)
check("phases", run_script("phase('a')\nphase('b')").events("phase")
      == [{"title": "a"}, {"title": "b"}])


def phase_per_branch():
    r = run_script("""
async def f(n):
    phase(n)
    await sleep(1)
    await agent('x')
await parallel([f('a'), f('b')])
await agent('y')""")
    got = {a["path"]: a.get("phase") for a in r.asks()
           if a["kind"] == "agent"}
    assert got == {"/p0.0/agent#0": "a", "/p0.1/agent#0": "b",
                   "/agent#0": None}, got


case("a phase belongs to the branch that set it", phase_per_branch)

# ---- what there is not ----

table([
    (what + " is refused and says what there is", source,
     Fails("RuntimeError", text, source.count("\n") + 1))
    for what, source, text in [
        ("open", "open('/etc/passwd')", "await tool('read', path=...)"),
        ("io.open", "import io\nio.open('x')", "a workflow has no files"),
        ("input", "input('? ')", "it gets `args`"),
        ("breakpoint", "breakpoint()", "use log()"),
        ("exit", "exit(1)", "use return"),
        ("quit", "quit()", "use return"),
        ("help", "help(len)", "wfsup(7)"),
        ("workflow", "await workflow('x')", "workflow() is not offered by "
         "this version"),
        ("ask", "await ask('?')", "ask() is not offered by this version"),
        ("signal", "await signal('x')", "signal() is not offered"),
        ("sandbox", "sandbox()", "sandbox() is not offered"),
        ("a thread", "import asyncio\nawait asyncio.to_thread(len, 'x')",
         "a workflow has no threads: use agent() or tool()"),
        ("a connection",
         "import asyncio\nawait asyncio.open_connection('h', 1)",
         "no files, sockets, processes or signals"),
        ("a process", "import asyncio\n"
         "await asyncio.create_subprocess_shell('ls')",
         "no files, sockets, processes or signals"),
        ("a new loop", "import asyncio\nasyncio.new_event_loop()",
         "asyncio.new_event_loop() is not offered"),
        ("another run of the loop", "import asyncio\nasyncio.get_event_loop"
         "().run_until_complete(agent('x'))", "already runs: use await"),
    ]])
finish()

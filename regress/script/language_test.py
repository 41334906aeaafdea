#!/usr/bin/python3 -IS
"""The text of a script: top level, main, names, syntax, meta."""

import os
import sys

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from harness import Fails, case, finish, run_script, table  # noqa: E402

table([
    ("a script that computes and returns", "return 6 * 7", 42),
    ("no return gives null", "x = 1", None),
    ("a bare return gives null", "return", None),
    ("return in the middle ends the script",
     "for i in range(9):\n    if i == 3:\n        return i\nreturn 9", 3),
    ("top-level await", "return await agent('hi')", "hi"),
    ("await inside an expression",
     "return len(await agent('abc')) + 1", 4),
    ("top-level async for and async with", """
class C:
    async def __aenter__(self): return 'in'
    async def __aexit__(self, *a): pass
async def g():
    yield await agent('a')
    yield 'b'
out = []
async with C() as c:
    async for x in g():
        out.append((c, x))
return out
""", [["in", "a"], ["in", "b"]]),
    ("await in a comprehension at the top level",
     "return [await agent(p) for p in 'ab']", ["a", "b"]),
    ("async main(args) is called",
     "async def main(args):\n    return await agent(args['p'])", "hello"),
    ("main() without a parameter is called",
     "async def main():\n    return 3", 3),
    ("a plain main is called", "def main(args):\n    return args['p']",
     "hello"),
    ("main with a default parameter gets args",
     "def main(args=None):\n    return args['p']", "hello"),
    ("main is not called if the top level returns",
     "def main(): return 1\nreturn 2", 2),
    ("main is not called if the top level awaits",
     "def main(): return 1\nx = await agent('a')", None),
    ("the top level runs before main",
     "x = [1]\ndef main(): return x\nx.append(2)", [1, 2]),
    ("main returns nothing", "async def main(args): pass", None),
    ("an await in a nested function is not the top level's",
     "async def f():\n    await agent('x')\ndef main(): return 5", 5),
    ("__name__ is __main__",
     "if __name__ == '__main__':\n    r = 1\nreturn r", 1),
    ("helpers see names of the top level",
     "def f(): return x\nx = 5\nreturn f()", 5),
    ("a helper's global is the script's",
     "x = 1\ndef f():\n    global x\n    x = 2\nf()\nreturn x", 2),
    ("every kind of binding is global", """
import math as m
from json import dumps as d
for i in range(2): pass
with __import__('contextlib').nullcontext(7) as w: pass
try: 1/0
except ZeroDivisionError as e: saved = str(e)
[y := 5 for _ in range(1)]
match {'k': [1, 2, 3], 'o': 4}:
    case {'k': [a, *rest], **others}: pass
class K: pass
n: int = 4
q = r = 1
(s, [t, u]) = (1, [2, 3])
n += 1
def see():
    return [m.floor(1.5), d([]), i, w, saved, y, a, rest, others,
            K.__name__, n, q, r, s, t, u]
return see()
""", [1, "[]", 1, 7, "division by zero", 5, 1, [2, 3], {"o": 4}, "K", 5, 1,
      1, 1, 2, 3]),
    ("a comprehension's variable stays its own",
     "x = 1\n[x for x in range(5)]\nreturn x", 1),
    ("del works on a global", "x = 1\ndel x\nreturn 'x' in globals()",
     False),
    ("an annotation without a value binds nothing",
     "x: int\nreturn 'x' in globals()", False),
    ("annotated names inside blocks",
     "if 1:\n    x: int = 4\ndef f(): return x\nreturn f()", 4),
    ("annotations in a class stay", """
import dataclasses
@dataclasses.dataclass
class P:
    x: int
    y: int = 2
return dataclasses.asdict(P(1))
""", {"x": 1, "y": 2}),
    ("a future import is hoisted", """
'''doc'''
meta = {'name': 'n'}
from __future__ import annotations
def f(x: Undefined): return f.__annotations__['x']
return f(1)
""", "Undefined"),
    ("triple-quoted strings keep their text",
     'x = """a\n  b\nc"""\nreturn x', "a\n  b\nc"),
    ("a script that is only meta gives null",
     "meta = {'name': 'x', 'description': 'y', 'phases': ['a']}", None),
    ("meta is a name like others",
     "meta = {'name': 'x'}\nreturn meta['name']", "x"),
    ("a later meta is any variable", "x = 1\nmeta = x\nreturn meta", 1),
    ("a byte order mark is ignored", "\ufeffreturn 1", 1),
    ("carriage returns end lines", "x = 1\r\nreturn x\r\n", 1),
    ("tabs indent", "if 1:\n\treturn 'tab'", "tab"),
    ("no newline at the end", "return 1 # end", 1),
    ("a string statement alone is a script", "'doc'", None),
    ("nested functions and closures", """
def outer():
    n = 0
    def inner():
        nonlocal n
        n += 1
        return n
    inner()
    return inner()
return outer()
""", 2),
    ("a recursive helper", "def f(n): return 1 if n < 2 else n * f(n-1)\n"
     "return f(10)", 3628800),
    ("a lambda sees globals", "k = 3\nreturn list(map(lambda x: x*k, [1]))",
     [3]),
    ("a class at the top level has a plain name",
     "class A:\n    class B: pass\nreturn A.B.__qualname__ + A.__module__",
     "A.B__main__"),
    ("exec sees the language",
     "d = {}\nexec('y = NodeError.__name__', d)\nreturn d['y']",
     "NodeError"),
    ("exec at the top level binds a global",
     "exec('y = 1')\ndef f(): return y\nreturn f()", 1),
    ("eval, locals and vars at the top level are of the module",
     "x = 2\nreturn [eval('x'), locals()['x'], vars()['x'], "
     "'{x}'.format(**locals())]", [2, 2, 2, "2"]),
    ("locals in a function are the function's",
     "x = 1\ndef f():\n    y = 2\n    return locals()\nreturn f()",
     {"y": 2}),
    ("an exec of the script's own", "def exec(x): return x\n"
     "return exec(3)", 3),
    ("args are what was given", "return args", {"p": "hello"}),
    ("args may be shadowed", "args = 5\nreturn args", 5),
    ("a finally runs before the result",
     "x = []\ntry:\n    return x\nfinally:\n    x.append(1)", [1]),
    ("a return in finally wins",
     "try:\n    return 1\nfinally:\n    return 2", 2),
    ("a generator helper works",
     "def g():\n    yield 1\n    yield 2\nreturn list(g())", [1, 2]),
    ("a starred return", "return *[1, 2], 3", [1, 2, 3]),
    ("a type from typing resolves names of the script", """
from __future__ import annotations
import typing
class T: pass
class U:
    t: T
return [v.__name__ for v in typing.get_type_hints(U).values()]
""", ["T"]),
], args={"p": "hello"})

for given, want in (({}, {}), (None, None), ([1], [1]), ("x", "x"), (0, 0)):
    table([("args may be %r" % (given,), "return args", want),
           ("main may get %r" % (given,), "def main(args): return args",
            want)], args=given)
table([("args are an empty object if none are given", "return args", {})])

table([
    ("a syntax error has line and caret", "x = 1\ny = = 2",
     Fails("SyntaxError", "invalid syntax", 2, traceback=(
         '  File "<script>", line 2\n    y = = 2\n        ^\n'
         "SyntaxError: invalid syntax"))),
    ("an error that only the compiler sees has its line too",
     "def f():\n    await x",
     Fails("SyntaxError", "'await' outside async function", 2, traceback=(
         '  File "<script>", line 2\n    await x\n    ^^^^^^^\n'
         "SyntaxError: 'await' outside async function"))),
    ("bad indentation", "if 1:\nx = 1", Fails("IndentationError", "", 2)),
    ("mixed tabs", "if 1:\n\tx = 1\n        y = 2",
     Fails("TabError", "", 3)),
    ("an unclosed bracket", "x = (1,\ny = 2", Fails("SyntaxError", "", 1)),
    ("an empty script", "", Fails("ScriptError", "the script is empty")),
    ("a script of comments", "# a\n\n   \n# b",
     Fails("ScriptError", "the script is empty")),
    ("a NUL in the source", "x = 1\0", Fails("ScriptError", "null")),
    ("a lone surrogate in the source", "x = '\ud800'",
     Fails("ScriptError", "surrogate")),
    ("a script of 512 KiB + 1", "#" * (512 * 1024 + 1),
     Fails("ScriptError", "the script has 524289 bytes: at most 524288")),
    ("the size is counted in bytes", "'" + "é" * (256 * 1024) + "'",
     Fails("ScriptError", "at most 524288")),
    ("a script of 512 KiB is allowed", "return 1 #" + "x" * (524288 - 10),
     1),
    ("yield at the top level", "yield 1",
     Fails("SyntaxError", "'yield' outside function", 1)),
    ("yield in a block at the top level", "for i in []:\n    x = yield i",
     Fails("SyntaxError", "'yield' outside function", 2)),
    ("yield from at the top level", "yield from []",
     Fails("SyntaxError", "'yield' outside function", 1)),
    ("import *", "from math import *\nreturn pi",
     Fails("SyntaxError", "`from math import *` is not offered", 1)),
    ("import * in a function", "def f():\n    from math import *",
     Fails("SyntaxError", "is not offered", 2)),
    ("break outside a loop", "break", Fails("SyntaxError", "", 1)),
    ("nonlocal at the top level", "nonlocal x",
     Fails("SyntaxError", "nonlocal", 1)),
    ("an unknown future", "from __future__ import braces",
     Fails("SyntaxError", "not a chance", 1)),
    ("meta that is computed", "meta = dict(name='x')",
     Fails("SyntaxError", "meta must be a literal dict", 1)),
    ("meta that is a list", "\nmeta = []",
     Fails("SyntaxError", "meta must be a literal dict", 2)),
    ("meta with a name that is no string", "meta = {'name': 3}",
     Fails("SyntaxError", "'name' must be a string", 1)),
    ("meta with phases that are no list", "meta = {'phases': 'a'}",
     Fails("SyntaxError", "'phases' must be a list", 1)),
    ("brackets nested too deep", "x = " + "(" * 300 + ")" * 300,
     Fails("SyntaxError", "")),
    ("operators nested too deep", "x = " + "-" * 100000 + "1",
     Fails("ScriptError", "nested too deeply")),
    ("a long sum", "return " + "+".join(["1"] * 900), 900),
    ("an endless if", "".join("%sif 1:\n" % (" " * i) for i in range(120)),
     Fails("IndentationError", "too many levels")),
    ("Python 2", "print 'x'", Fails("SyntaxError", "Missing parentheses",
                                    1)),
    ("a syntax error in a line of 400 KB", "x = '" + "y" * 400000 + "' = 3",
     Fails("SyntaxError", "", 1)),
])

table([
    ("a bug has class, message and line", "x = 1\nx.y",
     Fails("AttributeError", "'int' object has no attribute 'y'", 2)),
    ("a bug in a helper has the helper's line",
     "def f(a):\n    return a['k']\n\nf({})",
     Fails("KeyError", "'k'", 2)),
    ("a NameError", "return undefined", Fails("NameError", "undefined", 1)),
    ("a module that was not imported", "x = 1\nawait asyncio.sleep(1)",
     Fails("NameError", "name 'asyncio' is not defined (is `import asyncio` "
           "missing?)", 2)),
    ("an exception of the script's own",
     "class Mine(Exception): pass\nraise Mine('so')",
     Fails("Mine", "so", 2)),
    ("an assertion", "assert 1 == 2, 'no'", Fails("AssertionError", "no",
                                                  1)),
    ("SystemExit", "raise SystemExit(3)", Fails("SystemExit", "3", 1)),
    ("KeyboardInterrupt", "raise KeyboardInterrupt",
     Fails("KeyboardInterrupt", "", 1)),
    ("a GeneratorExit", "raise GeneratorExit", Fails("GeneratorExit")),
    ("endless recursion", "def f(): f()\nf()",
     Fails("RecursionError", "", 1)),
    ("an exception group of the script",
     "raise ExceptionGroup('g', [ValueError('a'), KeyError('b')])",
     Fails("ExceptionGroup", "g: ValueError: a (and 1 more)", 1)),
    ("main's bug has its line", "async def main(args):\n    1/0",
     Fails("ZeroDivisionError", "", 2)),
    ("main that wants too much", "def main(a, b): pass",
     Fails("TypeError", "missing 1 required positional argument")),
    ("a bug deep in a stdlib call is the script's line",
     "import json\n\njson.loads('{')", Fails("JSONDecodeError", "", 3)),
    ("asyncio.run says what to write",
     "import asyncio\nasync def main(): pass\nasyncio.run(main())",
     Fails("RuntimeError", "write `await main()`", 3)),
    ("cancelling oneself",
     "import asyncio\nasyncio.current_task().cancel()\n"
     "await asyncio.sleep(0)", Fails("CancelledError")),
])


def tracebacks_show_only_the_script():
    r = run_script("import json\ndef f():\n    json.loads('{')\nf()")
    text = r.error["traceback"]
    assert "line 3, in f" in text and "line 4, in <module>" in text, text
    assert "json.loads('{')" in text, text
    assert "wfsup" not in text and "/usr" not in text, text


def chained():
    r = run_script("try:\n    1/0\nexcept Exception as e:\n"
                   "    raise ValueError('v') from e")
    text = r.error["traceback"]
    assert "direct cause" in text and "ZeroDivisionError" in text, text
    assert r.error["line"] == 4


def huge_message():
    r = run_script("raise ValueError('x' * 10**7)")
    assert len(r.error["message"]) < 10000, len(r.error["message"])
    assert len(r.error["traceback"]) < 40000


def one_end():
    r = run_script("return 1")
    assert [s[0] for s in r.sent] == [0x314] and r.ends == 1, r.sent


def groups_show_all():
    r = run_script("""
async def f():
    return await agent(3)
await parallel([f, f], strict=True)
""")
    assert r.error["class"] == "ExceptionGroup", r.error
    assert r.error["traceback"].count("must be a string") == 2


case("tracebacks show only the script's lines",
     tracebacks_show_only_the_script)
case("a chained exception shows its cause", chained)
case("a message of 10 MB is cut", huge_message)
case("a run sends exactly one end", one_end)
case("a group's traceback shows all of it", groups_show_all)
finish()

#!/usr/bin/python3 -IS
"""What may cross the border of a jail, and how the rest is refused."""

import os
import sys

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from harness import Fails, case, finish, run_script, table  # noqa: E402

table([
    ("plain values", "return [None, True, False, 0, -1, 1.5, '', 'é', {}]",
     [None, True, False, 0, -1, 1.5, "", "é", {}]),
    ("the largest and the smallest integer",
     "return [2**63 - 1, -2**63]", [2**63 - 1, -2**63]),
    ("a float that is whole stays a float", "return 1.0", 1.0),
    ("minus zero stays", "return -0.0", -0.0),
    ("a tuple becomes a list", "return (1, (2,))", [1, [2]]),
    ("a named tuple becomes a list", "import collections\n"
     "return collections.namedtuple('P', 'x y')(1, 2)", [1, 2]),
    ("an enum of strings goes by value", "import enum\n"
     "class E(enum.StrEnum):\n    A = 'a'\nreturn {E.A: E.A}", {"a": "a"}),
    ("an enum of integers goes by value", "import enum\n"
     "class E(enum.IntEnum):\n    A = 5\nreturn E.A", 5),
    ("a subclass of str can't lie", """
class S(str):
    def __str__(self): return 'lie'
    def encode(self, *a): return b'lie'
    def __eq__(self, o): return True
    __hash__ = str.__hash__
    def isascii(self): return False
return [S('truth'), {S('k'): 1}]""", ["truth", {"k": 1}]),
    ("a subclass of int can't lie", """
class I(int):
    def __int__(self): return 9
    def __index__(self): return 9
    def __le__(self, o): return True
    def __repr__(self): return '[]'
return I(3)""", 3),
    ("a subclass of dict can't lie", """
class D(dict):
    def items(self): return [('lie', 1)]
    def __iter__(self): return iter(['lie'])
    def keys(self): return ['lie']
return D(truth=1)""", {"truth": 1}),
    ("a subclass of list can't lie", """
class L(list):
    def __iter__(self): return iter(['lie'])
    def __len__(self): return 99
return L([1])""", [1]),
    ("counters and default dicts are objects", "import collections\nreturn "
     "[collections.Counter('aab'), collections.defaultdict(list, a=[1])]",
     [{"a": 2, "b": 1}, {"a": [1]}]),
    ("members keep their order", "return list({'b': 1, 'a': 2})",
     ["b", "a"]),
    ("the same list twice is no cycle", "x = [1]\nreturn [x, x, {'a': x}]",
     [[1], [1], {"a": [1]}]),
    ("64 deep", "x = 1\nfor _ in range(64): x = [x]\nreturn "
     "str(x).count('[')", 64),
    ("all of Unicode but surrogates",
     "return '\\U0001f600\\uffff\\x01\\x7f'", "\U0001f600\uffff\x01\x7f"),
])

BAD = [
    ("NaN", "float('nan')", "ValueError", "result: NaN is not JSON"),
    ("infinity", "[float('-inf')]", "ValueError",
     "result[0]: infinity is not JSON"),
    ("a large integer", "2**63", "ValueError",
     "result: the integer is beyond 64 bits"),
    ("a small integer", "-2**63 - 1", "ValueError", "beyond 64 bits"),
    ("an integer of 10,000 digits", "10**10000", "ValueError",
     "beyond 64 bits"),
    ("a lone surrogate", "'\\udc80'", "ValueError",
     "result: the string has a lone surrogate"),
    ("a NUL", "{'a': 'x\\0'}", "ValueError",
     "result.a: the string has a NUL character"),
    ("a surrogate in a key", "{'\\ud800': 1}", "ValueError",
     "result: a key has a lone surrogate"),
    ("a set", "{'a': {1}}", "TypeError",
     "result.a: set is not JSON (sorted() makes a list of it)"),
    ("bytes", "[b'x']", "TypeError", "result[0]: bytes is not JSON"),
    ("an object", "object()", "TypeError", "result: object is not JSON"),
    ("a function", "[1, len]", "TypeError",
     "result[1]: builtin_function_or_method is not JSON"),
    ("a datetime", "{'items': [0, 1, 2, {'when': "
     "__import__('datetime').datetime.now()}]}", "TypeError",
     "result.items[3].when: datetime is not JSON"),
    ("a Decimal", "__import__('decimal').Decimal(1)", "TypeError",
     "result: Decimal is not JSON"),
    ("a complex number", "1j", "TypeError", "result: complex is not JSON"),
    ("a generator", "(x for x in [])", "TypeError",
     "result: generator is not JSON"),
    ("a dict's view", "{}.keys()", "TypeError", "dict_keys is not JSON"),
    ("an integer as a key", "{'a': {1: 2}}", "TypeError",
     "result.a: the key 1 is int, but keys of JSON are strings"),
    ("None as a key", "{None: 2}", "TypeError", "the key None is NoneType"),
    ("a tuple as a key", "{(1,): 2}", "TypeError",
     "the key <tuple> is tuple"),
    ("an odd key in the path", "{'a b': [object()]}", "TypeError",
     "result[\"a b\"][0]: object"),
    ("a key with a quote in the path", "{'\"': object()}", "TypeError",
     "result[\"\\\"\"]: object"),
    ("a long key in the path", "{'k' * 1000: object()}", "TypeError",
     "result[\"" + "k" * 64 + "...\"]: object"),
    ("65 deep", "eval('[' * 65 + ']' * 65)", "ValueError",
     "nested more than 64 deep"),
    ("65 objects deep", "eval('{\"a\":' * 65 + '1' + '}' * 65)",
     "ValueError", "nested more than 64 deep"),
    ("an exception", "ValueError('x')", "TypeError",
     "result: ValueError is not JSON"),
    ("a class", "int", "TypeError", "result: type is not JSON"),
    ("5 MB", "'x' * (5 << 20)", "ValueError", "at most 4194304"),
]
table([("refuses " + what, "\nreturn " + expression,
        Fails(class_, text, 2)) for what, expression, class_, text in BAD])
table([
    ("refuses a cycle", "x = []\nx.append({'y': x})\nreturn x",
     Fails("ValueError", "result[0].y: the value contains itself", 3)),
    ("refuses a cycle of dicts", "x = {}\nx['x'] = x\nreturn x",
     Fails("ValueError", "result.x: the value contains itself", 3)),
    ("refuses keys that are equal by value", """
class S(str):
    def __hash__(self): return 1
    def __eq__(self, o): return self is o
return {S('a'): 1, S('a'): 2}""",
     Fails("ValueError", "the key \"a\" is there twice")),
    ("refuses a class that says it is a str", """
class S:
    __class__ = str
return S()""", Fails("TypeError", "result: S is not JSON")),
    ("refuses a class with a lying name", """
class M(type):
    __name__ = property(lambda self: 1 / 0)
class S(metaclass=M): pass
return S()""", Fails("TypeError", "result: S is not JSON")),
    ("refuses a dataclass and says how", """
import dataclasses
@dataclasses.dataclass
class P: x: int
return P(1)""", Fails("TypeError", "P is not JSON (dataclasses.asdict()")),
    ("refuses a coroutine that was awaited since", """
c = agent('x')
await c
return {'a': c}""", Fails("TypeError", "result.a: coroutine is not JSON "
                          "(was its await forgotten?)", 4)),
    ("the line of the return that was taken",
     "if 1:\n    return {1}\nreturn 2", Fails("TypeError", "set", 2)),
    ("the line of main", "x = 1\nasync def main(): return {1}",
     Fails("TypeError", "result: set is not JSON", 2)),
    ("a log that isn't JSON", "log('x', a={1})",
     Fails("TypeError", "log: data.a: set is not JSON", 1)),
    ("a log message that isn't JSON", "log(object())",
     Fails("TypeError", "log: message: object is not JSON", 1)),
    ("a phase that is no string", "phase(3)",
     Fails("TypeError", "phase: title must be a string, not int", 1)),
    ("the script may catch it",
     "try:\n    log('x', a={1})\nexcept TypeError: return 'caught'",
     "caught"),
])


def hostile():
    """Whatever an exception does when asked for its text, there is an end.
    """
    for body in ("__str__ = lambda s: 1 / 0",
                 "__str__ = lambda s: 5",
                 "__str__ = lambda s: '\\ud800\\0'",
                 "def __str__(s): raise SystemExit",
                 "def __getattribute__(s, n): raise KeyError(n)",
                 "__class__ = property(lambda s: 1 / 0)",
                 "__notes__ = 5", "__notes__ = property(lambda s: 1 / 0)",
                 "node = object()", "cause = 'x' * 10**6",
                 "__traceback__ = 3", "__cause__ = 3",
                 "def __del__(s): raise ValueError"):
        r = run_script("class X(Exception):\n    %s\nraise X('a')" % body)
        assert r.ends == 1 and not r.done, (body, r.sent)
        assert r.error["class"] == "X", (body, r.error)
    for body in ("__name__ = property(lambda s: 1 / 0)",
                 "def __instancecheck__(s, o): return 1 / 0",
                 "def __subclasscheck__(s, o): return 1 / 0"):
        r = run_script("class M(type):\n    %s\nclass X(Exception, "
                       "metaclass=M): pass\nraise X('a')" % body)
        assert r.ends == 1 and not r.done, (body, r.sent)


def broken_interpreter():
    """A script that breaks what it can reach still has an end."""
    for source in (
            "import json\njson.JSONEncoder = json.dumps = None\nreturn 1",
            "import asyncio\nasyncio.Future = asyncio.Task = None\n"
            "await agent('x')\nreturn 1",
            "print.__self__.print = None\nreturn 1",
            "import typing\ntyping.sys.modules.clear()\nreturn 1",
            "import hashlib\nhashlib.sha256 = None\nawait agent('x')\n"
            "return 1",
            "globals().clear()\nreturn 1",
            "__builtins__.clear()\nx = 1",
            "import asyncio\nasyncio.get_running_loop().call_soon = None"):
        r = run_script(source)
        assert r.ends == 1, (source, r.sent)


case("exceptions with hostile texts and attributes", hostile)
case("a script that breaks its interpreter still has one end",
     broken_interpreter)
finish()

"""Plays broker and keeper against the prelude, one forked child a case.

The modules are loaded as the jail's starter loads them: compiled from their
text, in order, after which prepare() runs once; each case then is a child
that has a `_jail` made of Python. run_script() returns all that the script
sent, and the outcomes in the order in which they were given.
"""

import glob
import json
import os
import pickle
import random
import re
import sys
import traceback
import types

HERE = os.path.dirname(os.path.abspath(__file__))
SCRIPT = os.path.join(HERE, "..", "..", "jail", "script")
NOW = 1_700_000_000_000


_NONE = object()


class End(BaseException):
    """The jail is killed."""


def load():
    """The prelude's modules, in the order that _wf_main names."""
    sys.modules["messages"] = messages = types.ModuleType("messages")
    catalogue = os.path.join(SCRIPT, "..", "..", "common", "messages.def")
    with open(catalogue) as f:
        for name, number in re.findall(
                r"^MESSAGE\((\w+),\s*(0x[0-9a-f]+)", f.read(), re.M):
            setattr(messages, name, int(number, 16))
    sys.modules["_jail"] = types.ModuleType("_jail")
    with open(os.path.join(SCRIPT, "_wf_main.py")) as f:
        order = re.search(r"in the order\n(.*?),\neach", f.read(), re.S)
    names = ["_wf_" + n for n in order[1].rstrip(",").split()]
    found = {os.path.basename(p)[:-3]
             for p in glob.glob(os.path.join(SCRIPT, "*.py"))}
    assert found == set(names), found ^ set(names)
    for name in names:
        with open(os.path.join(SCRIPT, name + ".py")) as f:
            code = compile(f.read(), "<wfsup>/%s.py" % name, "exec")
        module = types.ModuleType(name)
        sys.modules[name] = module
        exec(code, vars(module))
    sys.modules["_wf_main"].prepare()
    return messages


M = load()


class Broker:
    """Answers the questions of one script. answer(ask) gives the outcome:
    a value, or an Error; order picks which of the open asks is next."""

    def __init__(self, source, args, answer, order, replay, options):
        self.sent = []
        self.given = []
        self.open = {}
        self.answer = answer
        self.order = order
        self.now = NOW
        self.spent = 0
        self.options = options
        body = {"source": source}
        if args is not _NONE:
            body["args"] = args
        batches = [replay[i:i + 7] for i in range(0, len(replay), 7)]
        self.queue = [(M.SCRIPT, 0, json.dumps({
            "run": "r1", "seed": options.get("seed", "s"), "now": NOW,
            "replay": len(batches), "tokens": options.get("tokens", 0),
            "spent": 0}), json.dumps(body).encode())]
        self.queue += [(M.REPLAY, 0, json.dumps(
            {"run": "r1", "count": len(b)}), json.dumps(b).encode())
            for b in batches]
        for row in replay:
            self.now, self.spent = row[2], row[3]

    def send(self, type_, peerid, envelope, body):
        env = json.loads(envelope)
        body = None if body is None else json.loads(bytes(body))
        self.sent.append((type_, env, body))
        if type_ == M.NODE_ASK:
            assert env["path"] not in self.open, env
            self.open[env["path"]] = dict(env, body=body)
        elif type_ == M.NODE_CANCEL:
            self.open.pop(env["path"], None)

    def recv(self):
        if self.queue:
            return self.queue.pop(0)
        if self.sent and self.sent[-1][0] in (M.SCRIPT_DONE, M.SCRIPT_FAIL):
            raise End
        most = self.options.get("stop_after")
        if not self.open or (most is not None and len(self.given) >= most):
            raise End
        path = self.order(list(self.open))
        ask = self.open.pop(path)
        if ask["kind"] == "sleep":
            value, ask["ms"] = None, int(ask["body"]["seconds"] * 1000)
        else:
            value = self.answer(ask)
        self.now += ask.get("ms", 10)
        self.spent += 100
        ok = not isinstance(value, Error)
        value = value if ok else value.outcome
        self.given.append([path, ask["digest"], self.now, self.spent, ok,
                           value])
        return (M.NODE_ANSWER, 0, json.dumps(
            {"path": path, "ok": ok, "now": self.now, "spent": self.spent}),
            json.dumps(value).encode())


class Error:
    """An outcome that is a failure."""

    def __init__(self, class_, message="it failed", cause=None, rule=None):
        self.outcome = {"class": class_, "message": message, "cause": cause,
                        "rule": rule}


class Result:
    """What came of a script."""

    def __init__(self, sent, given):
        self.sent = sent
        self.given = given
        last = [s for s in sent if s[0] in (M.SCRIPT_DONE, M.SCRIPT_FAIL)]
        self.ends = len(last)
        self.done = bool(last) and last[0][0] == M.SCRIPT_DONE
        self.body = last[0][2] if last else None
        self.env = last[0][1] if last else None

    @property
    def value(self):
        assert self.done, self.body
        return self.body["result"]

    @property
    def error(self):
        assert self.body is not None and not self.done, self.body
        return self.body

    def asks(self):
        return [dict(env, body=body) for type_, env, body in self.sent
                if type_ == M.NODE_ASK]

    def paths(self):
        return [a["path"] for a in self.asks()]

    def events(self, kind):
        return [body for type_, env, body in self.sent
                if type_ == M.SCRIPT_EVENT and env["kind"] == kind]

    def cancels(self):
        return [env["path"] for type_, env, _ in self.sent
                if type_ == M.NODE_CANCEL]


def echo(ask):
    """The default world: agents answer their prompt, tools their input."""
    body = ask["body"]
    return body["prompt"] if ask["kind"] == "agent" else body["input"]


def first(paths):
    return paths[0]


def last(paths):
    return paths[-1]


def shuffled(seed):
    return random.Random(seed).choice


def run_script(source, args=_NONE, answer=echo, order=first, replay=(),
               **options):
    """Run a script to its end in a child of its own."""
    r, w = os.pipe()
    pid = os.fork()
    if pid == 0:
        os.close(r)
        _child(w, source, args, answer, order, list(replay), options)
    os.close(w)
    data = b"".join(iter(lambda: os.read(r, 65536), b""))
    os.close(r)
    _, status = os.waitpid(pid, 0)
    if status != 0 or not data:
        raise AssertionError("the child ended with status %#x" % status)
    return Result(*pickle.loads(data))


def _child(w, source, args, answer, order, replay, options):
    status = 1
    try:
        broker = Broker(source, args, answer, order, replay, options)
        sys.addaudithook(_no_world)
        jail = sys.modules["_jail"]
        jail.send, jail.recv = broker.send, broker.recv
        try:
            sys.modules["_wf_main"].run()
        except End:
            status = 0
        data = pickle.dumps((broker.sent, broker.given))
        while data:
            data = data[os.write(w, data):]
    except BaseException:
        traceback.print_exc()
    finally:
        os._exit(status)


_WORLD = ("open", "socket.", "subprocess.", "os.listdir", "os.scandir",
          "os.fork", "os.exec", "_thread.start_new_thread", "ctypes.")


def _no_world(event, args):
    """In a jail there are no files, sockets, processes or threads."""
    if event.startswith(_WORLD):
        raise PermissionError("the jail has no %s %r" % (event, args))


class Fails:
    """What a case of a table may expect instead of a value."""

    def __init__(self, class_, message="", line=None, **more):
        self.class_, self.message, self.line = class_, message, line
        self.more = more

    def check(self, result):
        body = result.error
        assert body["class"] == self.class_, body
        assert result.env == {"class": self.class_, "failures":
                              len(body["failures"])}, result.env
        assert self.message in body["message"], body
        assert self.line is None or body["line"] == self.line, body
        for key, want in self.more.items():
            assert body[key] == want, body


def table(cases, **options):
    """Run cases of (what, source, value or Fails)."""
    for what, source, want in cases:
        case(what, lambda: _row(source, want, options))


def _row(source, want, options):
    result = run_script(source, **options)
    assert result.ends == 1, result.ends
    if isinstance(want, Fails):
        want.check(result)
    else:
        got = result.value
        assert got == want and repr(got) == repr(want), got


# ---- reporting ----

_failed = 0


def check(what, ok, got=None):
    global _failed
    if ok:
        print("ok " + what)
    else:
        _failed += 1
        print("not ok %s%s" % (what, "" if got is None else
                               ": got %r" % (got,)))


def case(what, function):
    """One case: function raises AssertionError, or it is ok."""
    global _failed
    try:
        function()
    except Exception as exc:
        _failed += 1
        where = traceback.extract_tb(exc.__traceback__)[1:2]
        line = where[0].lineno if where else 0
        print("not ok %s: line %d: %s: %s"
              % (what, line, type(exc).__name__, exc))
    else:
        print("ok " + what)


def finish():
    sys.stdout.flush()
    sys.exit(_failed != 0)

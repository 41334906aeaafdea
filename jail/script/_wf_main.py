"""One script in one jail, from SCRIPT to SCRIPT_DONE or SCRIPT_FAIL.

C loads the modules of this folder at the start of the zygote, in the order
border errors paths clock graft report modules loop nodes fan api timeouts
names awaits hints main,
each as _wf_NAME, after `messages` and `_jail`; then it calls prepare(). In
each jail it calls run(), which does not return: the jail is killed.

The folder holds all Python of the product. The script runs in the same
interpreter and can break all of this, but only for itself: whatever it
sends is judged by the broker like any hostile peer's.
"""

import asyncio as _asyncio
import gc as _gc
import inspect as _inspect
import io as _io
import itertools as _itertools
import os as _os
import sys as _sys
import time as _time
import types as _types
import warnings as _warnings

import _jail
import _wf_api as api
import _wf_awaits as awaits
import _wf_border as border
import _wf_clock as clock
import _wf_errors as errors
import _wf_graft as graft
import _wf_hints as hints
import _wf_loop as loop
import _wf_modules as modules
import _wf_names as names
import _wf_nodes as nodes
import _wf_report as report
import messages as _messages

# How many callbacks may still run after the end: some for each task that was
# cancelled, and some more.
CLEANUP_PER_TASK = 4
CLEANUP_MAX = 1000
# So many bytes of failures are told at the end, the last three quarters with
# short texts, and how many there were; the events have all of them.
FAILURES_MAX = 2 * 1024 * 1024
# Cycles are few and fans are wide: look for cycles less often than Python.
GC_EVERY = (20000, 20, 20)

_clock = clock.Clock()


def prepare():
    """Once, in the zygote, while there are still files."""
    _os.environ["TZ"] = "UTC0"
    _time.tzset()
    modules.preload()
    clock.install(_clock)
    names.amend_asyncio(_asyncio)
    _warnings.simplefilter("ignore")
    _asyncio.get_event_loop_policy()
    # Compile and forget: what the compiler needs is loaded and touched.
    graft.build("import math\nreturn math.pi")


class Run:
    """The state of one run, handed to whoever needs it."""

    def __init__(self, script):
        self.loop = loop.Loop(_clock)
        self.budget = api.Budget(script["tokens"], script["spent"])
        self.nodes = nodes.Nodes(_jail, self.loop, _clock, self.budget)
        self.loop.nodes = self.nodes
        self.printer = names.Printer(self.event)
        self.failures = []          # rows; holes is how many there were
        self.holes = 0
        self.failures_size = 0
        self.unawaited = []         # (line, name) of forgotten coroutines
        self.line = None            # for errors that have none
        self._events = 0

    def event(self, kind, body):
        """Progress, numbered: a replay says the same again."""
        envelope = {"kind": kind, "n": self._events}
        body = border.encode(body, kind)
        self._events += 1
        _jail.send(_messages.SCRIPT_EVENT, 0, border.canonical(envelope),
                   body)

    def hole(self, exc, path):
        """A branch failed as a node, and the script goes on."""
        row = errors.failure_row(exc, path)
        self.event("hole", row)
        self.holes += 1
        if self.failures_size > FAILURES_MAX // 4:
            row = dict(row, message=border.clean(row["message"], 80))
        self.failures_size += len(border.canonical(row).encode()) + 1
        if self.failures_size <= FAILURES_MAX:
            self.failures.append(row)

    def mark(self, value, line):
        """The top level returns value: the graft tells the line."""
        self.line = line
        return value


def run():
    """The life of a jail."""
    body, run = _receive()
    try:
        _run_script(run, body)
    except BaseException as exc:
        _send_fail(run, report.plain_body(
            errors.name_of(exc), errors.text_of(exc), None))
    while True:
        _jail.recv()


def _receive():
    kind, _, envelope, body = _jail.recv()
    if kind != _messages.SCRIPT:
        raise RuntimeError("message %#x came before the script" % kind)
    script = border.decode(envelope.encode())
    _clock.set(script["now"])
    clock.seed(script["seed"])
    border.limit(script.get("frame", border.BODY_MAX))
    run = Run(script)
    body = border.decode(body)
    for _ in range(script["replay"]):
        kind, _, _, rows = _jail.recv()
        if kind != _messages.REPLAY:
            raise RuntimeError("message %#x is not a replay" % kind)
        run.nodes.record(border.decode(rows))
    return body, run


def _run_script(run, body):
    api.bind(run)
    try:
        program = graft.build(body["source"])
    except SyntaxError as exc:
        _send_fail(run, report.body(exc))
        return
    report.remember(program.lines)
    scope = _namespace(run, body.get("args", {}))
    names.amend_io(_io)
    awaits.watch(run.unawaited, run.loop)
    run.loop.begin()
    _gc.set_threshold(*GC_EVERY)
    _gc.enable()
    main = run.loop.spawn(_top(run, program, scope), run.loop.root)
    run.loop.run_main(main, run.nodes.next_event)
    _finish(run, main)


def _namespace(run, args):
    """The script's globals: those of a module __main__ of its own."""
    module = _types.ModuleType("__main__")
    _sys.modules["__main__"] = module
    offered = names.offered(run, args)
    offered[graft.MARK] = run.mark
    module.__builtins__ = offered
    return vars(module)


async def _top(run, program, scope):
    """Run the script's top level, then its main if that is what it has."""
    exec(program.code, scope)
    try:
        return await _top_of_script(run, program, scope)
    except _asyncio.CancelledError as exc:
        run.line = report.line_of(exc)
        raise


async def _top_of_script(run, program, scope):
    value = await scope.pop(graft.TOP)()
    main = scope.get("main")
    if program.calls_main and callable(main):
        run.line = getattr(getattr(main, "__code__", None),
                                  "co_firstlineno", None)
        value = main(*_main_args(main, scope))
        if _inspect.isawaitable(value):
            value = await value
    return value


def _main_args(main, scope):
    """main(args) or main(), as it was written."""
    try:
        _inspect.signature(main).bind()
        takes = len(_inspect.signature(main).parameters)
    except (TypeError, ValueError):
        takes = 1
    if takes == 0:
        return ()
    return (scope.get("args", scope["__builtins__"]["args"]),)


# ---- the end ----

def _finish(run, main):
    """Cancel what still runs, and send the one last message."""
    error = run.loop.fatal
    if error is None and main.cancelled():
        error = _asyncio.CancelledError(
            "the script cancelled itself, or awaited what was cancelled")
    if error is None:
        error = main.exception()
    value = None if error is not None else main.result()
    if type(error) is errors.DeadlockError:
        run.line = report.waits_at(main.get_coro())
    _stop_tasks(run)
    run.printer.flush()
    if error is None:
        error = _unseen_bug(run)
    forgotten = awaits.forgotten(run.unawaited, run.loop)
    if error is not None:
        _fail(run, error, forgotten)
    elif forgotten:
        _fail_forgotten(run, forgotten)
    else:
        _done(run, value)


def _stop_tasks(run):
    run.loop.closing = True
    tasks = [task for task in run.loop.tasks() if not task.done()]
    for task in tasks:
        task.add_done_callback(lambda t: t.cancelled() or t.exception())
        task.cancel()
    run.loop.drain(CLEANUP_MAX + CLEANUP_PER_TASK * len(tasks))
    run.nodes.drop_all()


def _unseen_bug(run):
    """Exceptions of tasks that nobody awaited: a bug fails the run, a
    node's failure is listed."""
    for exc in run.loop.unseen():
        if not errors.is_failure(exc):
            return exc
        run.hole(exc, "/")
    return None


def _done(run, value):
    try:
        value = border.plain(value, "result")
        body = _with_failures(run, {"result": value}, "result")
    except (TypeError, ValueError) as exc:
        _send_fail(run, report.plain_body(
            errors.name_of(exc), errors.text_of(exc), run.line))
        return
    envelope = border.canonical({"failures": run.holes})
    _jail.send(_messages.SCRIPT_DONE, 0, envelope, body)


def _fail(run, error, forgotten):
    scope = vars(_sys.modules["__main__"])
    body = report.body(error, hints.hint(error, forgotten, scope))
    if body["line"] is None and run.line is not None:
        body = report.plain_body(body["class"], body["message"], run.line,
                                 body)
    _send_fail(run, body)


def _fail_forgotten(run, forgotten):
    line, name = forgotten[0]
    message = "%s() in line %d was never awaited" % (name, line)
    if len(forgotten) > 1:
        message += " (and %d more)" % (len(forgotten) - 1)
    _send_fail(run, report.plain_body("RuntimeError", message, line))


def _send_fail(run, body):
    envelope = {"class": body["class"], "failures": run.holes}
    _jail.send(_messages.SCRIPT_FAIL, 0, border.canonical(envelope),
               _with_failures(run, body, body["class"]))


def _with_failures(run, body, what):
    """The bytes of the last message: of the failures as many as fit."""
    room = border.BODY_MAX - len(border.encode(body, what)) - 64
    rows = run.failures
    if run.failures_size > room:
        sizes = (len(border.canonical(row).encode()) + 1 for row in rows)
        rows = [row for row, end in zip(rows, _itertools.accumulate(sizes))
                if end <= room]
    return border.encode(dict(body, failures=rows), what)

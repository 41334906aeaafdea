"""The names a script finds, and what takes the place of what isn't there.

Of Python's builtins it has all but those that need files, a terminal or a
process; these say what there is instead. Some of asyncio is ours too, where
its own would name nodes or order outcomes as a replay could not repeat.
"""

import asyncio as _asyncio
import builtins as _builtins

import _wf_api as api
import _wf_border as border
import _wf_errors as errors
import _wf_modules as modules
import _wf_timeouts as timeouts

LINE_MAX = 16 * 1024


def _refused(name, sentence):
    def refuse(*args, **kwargs):
        raise RuntimeError("%s() %s" % (name, sentence))
    refuse.__name__ = refuse.__qualname__ = name
    return refuse


_FILES = "is not offered: a workflow has no files; use " \
    "`await tool('read', path=...)` or `await tool('write', ...)`"
_LATER = "is not offered by this version"
_REFUSED = {
    "open": _FILES,
    "input": "is not offered: nobody sits at a workflow; it gets `args`",
    "breakpoint": "is not offered: use log()",
    "exit": "is not offered: use return",
    "quit": "is not offered: use return",
    "help": "is not offered: see wfsup(7)",
    "ask": _LATER,
    "signal": _LATER,
    "sandbox": _LATER,
    "workflow": _LATER,
}


def offered(run, args):
    """The builtins of the script: Python's and ours."""
    names = dict(vars(_builtins))
    for name in ("copyright", "credits", "license"):
        names.pop(name, None)
    for function in (api.agent, api.tool, api.sleep, api.parallel,
                     api.pipeline, api.phase, api.log):
        names[function.__name__] = function
    for error in errors.FOR_SCRIPTS:
        names[error.__name__] = error
    for name, sentence in _REFUSED.items():
        names[name] = _refused(name, sentence)
    names["print"] = run.printer.print
    names["__import__"] = modules.guarded_import
    names["args"] = args
    names["budget"] = run.budget
    return names


class Printer:
    """print, each line of it a log line."""

    def __init__(self, event):
        self._event = event
        self._begun = ""

    def print(self, *values, sep=" ", end="\n", file=None, flush=False):
        """As print() everywhere; without a file each line is logged."""
        if file is not None:
            return _builtins.print(*values, sep=sep, end=end, file=file,
                                   flush=flush)
        sep, end = " " if sep is None else sep, "\n" if end is None else end
        text = self._begun + sep.join(str(v) for v in values) + end
        lines = text.split("\n")
        self._begun = lines.pop()
        for line in lines:
            self._say(line)
        if len(self._begun) > LINE_MAX:
            self.flush()

    def flush(self):
        if self._begun:
            begun, self._begun = self._begun, ""
            self._say(begun)

    def _say(self, line):
        self._event("log", {"message": border.clean(line, LINE_MAX)})


# ---- asyncio ----

def amend_io(io):
    io.open = _refused("io.open", _FILES)


def amend_asyncio(asyncio):
    """Put ours where asyncio's own would not do."""
    timeouts.amend(asyncio)
    for module in (asyncio, asyncio.tasks):
        module.wait_for = wait_for
        module.as_completed = as_completed
    for name in ("run", "Runner", "new_event_loop"):
        setattr(asyncio, name, _refused(
            "asyncio." + name,
            "is not offered: a loop already runs; write `await main()`"))


async def wait_for(fut, timeout):
    """asyncio.wait_for; what it waits for stays in the caller's place."""
    if timeout is None:
        return await fut
    async with _asyncio.timeout(timeout):
        return await fut


def as_completed(fs, *, timeout=None):
    """asyncio.as_completed, in an order that a replay repeats."""
    if _asyncio.isfuture(fs) or _asyncio.iscoroutine(fs):
        raise TypeError("as_completed: wants a list of coroutines or tasks, "
                        "not %s" % type(fs).__name__)
    todo = {_asyncio.ensure_future(f): None for f in dict.fromkeys(fs)}
    done = _asyncio.Queue()
    timer = None

    def ended(future):
        if todo.pop(future, done) is None:
            done.put_nowait(future)
            if not todo and timer is not None:
                timer.cancel()

    def give_up():
        for future in todo:
            future.remove_done_callback(ended)
            done.put_nowait(None)
        todo.clear()

    async def next_done():
        future = await done.get()
        if future is None:
            raise timeouts.late(timeout)
        return future.result()

    for future in todo:
        future.add_done_callback(ended)
    if todo and timeout is not None:
        timer = _asyncio.get_running_loop().call_later(timeout, give_up)
    for _ in range(len(todo)):
        yield next_done()

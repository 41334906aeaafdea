"""parallel and pipeline: many branches, holes where a node failed.

A branch is a task in a place of its own, numbered by its position. If one
fails as a node, it leaves None and a row in the run's failures; a bug ends
all at once. A strict fan waits for all and raises what failed as a group.
"""

import asyncio as _asyncio
import collections as _collections
import inspect as _inspect
import operator as _operator

import _wf_border as border
import _wf_errors as errors
import _wf_report as report


class Fan:
    def __init__(self, run, limit, strict):
        self._run = run
        self._limit = limit
        self._strict = strict
        self._todo = _collections.deque()
        self._live = {}             # task: index
        self._results = []
        self._failed = []           # (index, exception)
        self._bug = None
        self._waiter = None

    def add(self, place, function, *args):
        """One branch more: function(*args) gives a coroutine."""
        self._todo.append((len(self._results), place, function, args))
        self._results.append(None)

    async def wait(self):
        """Run all branches; the list of their results."""
        self._start()
        try:
            while self._live and self._bug is None:
                self._waiter = self._run.loop.create_future()
                await self._waiter
        finally:
            self._stop()
        if self._bug is not None:
            raise self._bug
        if self._failed:
            failed = sorted(self._failed, key=_operator.itemgetter(0))
            raise BaseExceptionGroup(
                "%d of %d branches failed"
                % (len(failed), len(self._results)),
                [exc for _, exc in failed])
        return self._results

    def _start(self):
        while self._todo and len(self._live) < self._limit:
            index, place, function, args = self._todo.popleft()
            task = self._run.loop.spawn(function(*args), place)
            self._live[task] = index
            task.add_done_callback(self._ended)

    def _stop(self):
        for _, _, _, args in self._todo:
            self._run.loop.excuse(args[0])
        self._todo.clear()
        live, self._live = self._live, {}
        for task in live:
            task.remove_done_callback(self._ended)
            task.add_done_callback(_forget)
            task.cancel()

    def _ended(self, task):
        if task not in self._live:      # ended while we were stopped
            return
        index = self._live.pop(task)
        try:
            self._results[index] = task.result()
        except BaseException as exc:
            self._fail(index, exc, task.place.path)
        if self._bug is None:
            self._start()
        if self._bug is not None or not self._live:
            wake(self._waiter)

    def _fail(self, index, exc, path):
        if self._strict:
            self._failed.append((index, exc))
        elif errors.is_failure(exc):
            self._run.hole(exc, path)
        else:
            self._bug = exc


def _forget(task):
    """A cancelled branch: nobody looks at what became of it."""
    if not task.cancelled():
        task.exception()


def limit_of(limit, what):
    if limit is None:
        return float("inf")
    if isinstance(limit, bool) or not isinstance(limit, int):
        raise TypeError("%s: limit must be an integer, not %s"
                        % (what, border.given(limit)))
    if limit < 1:
        raise ValueError("%s: limit must be at least 1, not %s"
                         % (what, border.given(limit)))
    return limit


def check_branches(labels, branches):
    """Refuse what can't be a branch, and name its slot."""
    for label, branch in zip(labels, branches):
        if not (callable(branch) or _inspect.iscoroutine(branch)
                or _asyncio.isfuture(branch)
                or _inspect.isawaitable(branch)):
            raise TypeError(
                "parallel: branch %r must be a function without arguments, "
                "a coroutine or a task, not %s"
                % (label, border.given(branch)))


def wake(future):
    if not future.done():
        future.set_result(None)


def _begin(what, label):
    """Call a branch; that it can't be called so is an error of its own."""
    try:
        return what()
    except TypeError as exc:
        if errors.traceback_of(exc).tb_next is not None \
                or not _inspect.isroutine(what) or _inspect.isbuiltin(what):
            raise
        raise TypeError("parallel: branch %r must be a function without "
                        "arguments: %s" % (label, errors.text_of(exc))) \
            from None


async def branch(what, label):
    """One branch of parallel."""
    if callable(what) and not _inspect.isawaitable(what):
        what = _begin(what, label)
    if not _inspect.isawaitable(what):
        return what
    try:
        return await what
    except BaseException as exc:
        report.remember_origin(exc, what)
        raise


async def flow(item, index, stages):
    """One item of a pipeline through all stages."""
    value = item
    for stage, arity in stages:
        value = stage(*(value, item, index)[:arity])
        if _inspect.isawaitable(value):
            value = await value
    return value


def arity_of(stage, number):
    """How many of (value, item, index) a stage takes."""
    if not callable(stage):
        hint = " (stages follow the items: " \
            "pipeline(items, first, second))"
        raise TypeError("pipeline: stage %d must be a function, not %s%s"
                        % (number, border.given(stage), hint))
    if _inspect.isbuiltin(stage) or _inspect.isclass(stage) \
            or _inspect.ismethoddescriptor(stage):
        return 1
    try:
        parameters = _inspect.signature(stage).parameters.values()
    except (TypeError, ValueError):
        return 1
    needs = [p.name for p in parameters if p.default is p.empty
             and p.kind not in (p.VAR_POSITIONAL, p.VAR_KEYWORD)]
    named = [p.name for p in parameters if p.kind is p.KEYWORD_ONLY]
    if len(needs) > 3 or set(needs) & set(named):
        raise TypeError("pipeline: stage %d needs %s, but is given value, "
                        "item and index at most, by position"
                        % (number, ", ".join(needs)))
    if any(p.kind is p.VAR_POSITIONAL for p in parameters):
        return 3
    return min(3, sum(p.kind in (p.POSITIONAL_ONLY, p.POSITIONAL_OR_KEYWORD)
                      for p in parameters))

"""The event loop of a script: no files, no threads, no clock of its own.

Callbacks run in the order in which they became ready. Only when none is
left does the loop take the next event, recorded or new; so a replay that
gets the same events in the same order takes the same steps. A timer is an
event like any other.
"""

import asyncio as _asyncio
import collections as _collections
import contextvars as _contextvars
import inspect as _inspect
import itertools as _itertools
import sys as _sys
import types as _types
import weakref as _weakref

import _wf_border as border
import _wf_errors as errors
import _wf_paths as paths

_serial = _itertools.count(1).__next__
_FOREVER = float("inf")
_TIMER_MAX = 100 * 366 * 86400
# So many tasks are remembered before those are looked for that are gone.
_SWEEP = 1000


class _Ordered:
    """Hashed by a serial number: sets of these are iterated alike in each
    replay, which addresses in memory would not give."""

    __slots__ = ()

    def __hash__(self):
        try:
            return self.serial
        except AttributeError:
            self.serial = _serial()
            return self.serial


class Future(_Ordered, _asyncio.Future):
    """A future of the script."""

    __slots__ = ("serial",)


class Task(_Ordered, _asyncio.Task):
    """A task; place is where its calls are."""

    __slots__ = ("serial", "place")

    def cancel(self, msg=None):
        coro = self.get_coro()
        if never_began(coro):
            self.get_loop().excuse(coro)
        return super().cancel(msg)


class _Handle(_asyncio.Handle):
    """Made for each callback: what it looks up is known here."""

    __slots__ = ()

    def __init__(self, callback, args, loop, context):
        self._callback = callback
        self._args = args
        self._loop = loop
        self._context = _contextvars.copy_context() if context is None \
            else context
        self._cancelled = False
        self._repr = self._source_traceback = None


class _Timer(_asyncio.TimerHandle):
    __slots__ = ("node",)


_asyncio.tasks._GatheringFuture.__hash__ = _Ordered.__hash__


class Loop(_asyncio.AbstractEventLoop):
    def __init__(self, clock):
        self.root = paths.Place("/")
        self.nodes = None           # what timers are made of; main sets it
        self.fatal = None           # ends the run, whoever catches it
        self.closing = False        # no new node any more
        self._clock = clock
        self._ready = _collections.deque()
        self._tasks = []            # weak references, oldest first
        self._sweep_at = _SWEEP
        self._unseen = []
        self._excused = {}          # id: coroutine
        self._handler = None

    # ---- running ----

    def run_main(self, main, next_event):
        """Run until main is done or something fatal happened."""
        ready, step, done = self._ready, self._step, main.done
        while self.fatal is None and not done():
            if ready:
                step()
            else:
                next_event()

    def drain(self, most):
        """Let cancelled tasks clean up, without any new event."""
        self.closing = True
        while self._ready and most > 0:
            self._step()
            most -= 1

    def _step(self):
        handle = self._ready.popleft()
        if handle._cancelled:
            return
        try:
            handle._run()
        except BaseException as exc:        # SystemExit, KeyboardInterrupt
            self.fatal = exc

    def begin(self):
        _asyncio._set_running_loop(self)
        _sys.set_asyncgen_hooks(finalizer=self._close_generator)

    def place(self):
        """Where the caller is."""
        task = _asyncio.current_task(self)
        if task is not None:
            return task.place
        return paths.current.get(self.root)

    def spawn(self, coro, place, context=None, name=None):
        """A task with a place of its own."""
        if context is None:
            context = _contextvars.copy_context()
            context.run(paths.current.set, place)
        task = Task(coro, loop=self, name=name, context=context)
        task.place = place
        self._tasks.append(_weakref.ref(task))
        if len(self._tasks) >= self._sweep_at:
            self._sweep()
        return task

    def _sweep(self):
        """Forget tasks that are gone, when they may be half of them."""
        self._tasks = [ref for ref in self._tasks if ref() is not None]
        self._sweep_at = 2 * len(self._tasks) + _SWEEP

    def tasks(self):
        """Those that still exist, in the order of their creation."""
        return [task for task in [ref() for ref in self._tasks]
                if task is not None]

    def unseen(self):
        """The exceptions of tasks that nobody ever looked at."""
        late = [t for t in self.tasks() if t.done() and t._log_traceback]
        return self._unseen + [t.exception() for t in late]

    def excuse(self, thing):
        """Whoever would have awaited the coroutines in thing was stopped:
        they may never begin, and are not forgotten."""
        for coro in unbegun(thing):
            self._excused[id(coro)] = coro

    def excuse_given(self, coro):
        """The same for what coro, never awaited itself, was given."""
        for given in unbegun(list(coro.cr_frame.f_locals.values())):
            if given is not coro:
                self._excused[id(given)] = given

    def excused(self, coro):
        return id(coro) in self._excused

    def _close_generator(self, generator):
        # Whoever runs when it is found to be garbage is chance: not there.
        place = self.root.child("g%d" % self.root.number("g"))
        self.spawn(generator.aclose(), place)

    # ---- what asyncio calls ----

    def create_task(self, coro, *, name=None, context=None):
        return self.spawn(coro, self.place().task(), context, name)

    def create_future(self):
        return Future(loop=self)

    def call_soon(self, callback, *args, context=None):
        handle = _Handle(callback, args, self, context)
        self._ready.append(handle)
        return handle

    call_soon_threadsafe = call_soon

    def time(self):
        return self._clock.elapsed()

    def call_at(self, when, callback, *args, context=None):
        return self.call_later(round(when - self.time(), 6), callback,
                               *args, context=context)

    def call_later(self, delay, callback, *args, context=None):
        check_delay(delay)
        timer = _Timer(self.time() + delay, callback, args, self, context)
        timer.node = None
        if delay <= 0:
            self._ready.append(timer)
        elif delay < _FOREVER:
            timer.node = self.nodes.timer(
                delay, lambda exc: self._fire(timer, exc))
        return timer

    def _fire(self, timer, exc):
        timer.node = None
        if exc is None:
            self._ready.append(timer)
        else:
            self.fatal = exc

    def _timer_handle_cancelled(self, timer):
        if timer.node is not None:
            self.nodes.drop(timer.node)
            timer.node = None

    def call_exception_handler(self, context):
        exc = context.get("exception")
        if self._handler is not None:
            self._handler(self, context)
        elif exc is None:
            pass
        elif "task" in context or "future" in context:
            self._unseen.append(exc)
        else:
            self.fatal = exc

    default_exception_handler = call_exception_handler

    def set_exception_handler(self, handler):
        self._handler = handler

    def get_exception_handler(self):
        return self._handler

    def get_debug(self):
        return False

    def set_debug(self, enabled):
        pass

    def is_running(self):
        return True

    def is_closed(self):
        return False

    async def shutdown_asyncgens(self):
        pass

    async def shutdown_default_executor(self, timeout=None):
        pass

    def fail(self, exc):
        """End the run, even if the script catches exc. Returns exc."""
        if self.fatal is None:
            self.fatal = exc
        return exc

    def starve(self):
        """Nothing is ready and nothing can come."""
        self.fail(errors.DeadlockError(
            "the script waits for something that can never happen: no node "
            "and no timer is left to wake it"))


def never_began(thing):
    return type(thing) is _types.CoroutineType \
        and _inspect.getcoroutinestate(thing) == _inspect.CORO_CREATED


def unbegun(thing):
    """All coroutines in thing that never began, and those given to them."""
    todo, seen = [thing], set()
    while todo:
        thing = todo.pop()
        if id(thing) in seen:
            continue
        seen.add(id(thing))
        if type(thing) in (list, tuple):
            todo.extend(thing)
        elif type(thing) is dict:
            todo.extend(thing.values())
        elif never_began(thing):
            yield thing
            todo.extend(thing.cr_frame.f_locals.values())


def check_delay(delay, what="a time"):
    """A number of seconds that a timer can have, or infinity."""
    if isinstance(delay, bool) or not isinstance(delay, (int, float)):
        raise TypeError("%s must be a number of seconds, not %s"
                        % (what, border.given(delay)))
    if delay != delay or _TIMER_MAX < delay < _FOREVER:
        raise ValueError("%s must be at most %d seconds, not %s"
                         % (what, _TIMER_MAX, border.given(delay)))


def _refuse(name, sentence):
    def refuse(self, *args, **kwargs):
        raise RuntimeError("%s(): %s" % (name, sentence))
    refuse.__name__ = name
    setattr(Loop, name, refuse)


for _name in ("run_forever", "run_until_complete", "stop", "close"):
    _refuse(_name, "the loop of a workflow already runs: use await")
for _name in ("run_in_executor", "set_default_executor"):
    _refuse(_name, "a workflow has no threads: use agent() or tool()")
for _name in (
        "getaddrinfo", "getnameinfo", "create_connection", "create_server",
        "create_unix_connection", "create_unix_server",
        "create_datagram_endpoint", "sendfile", "sock_recv", "sock_connect",
        "sock_sendall", "sock_accept", "start_tls", "add_reader",
        "add_writer", "remove_reader", "remove_writer", "connect_read_pipe",
        "connect_write_pipe", "subprocess_shell", "subprocess_exec",
        "add_signal_handler", "remove_signal_handler"):
    _refuse(_name, "a workflow has no files, sockets, processes or signals: "
            "use agent() or tool()")

"""The words of the workflow language, as scripts call them.

A jail runs one script, so the run these functions belong to is the one that
bind() was told. They are real coroutine functions: nothing happens before
the await.
"""

import asyncio as _asyncio
import contextvars as _contextvars

import _wf_border as border
import _wf_fan as fan
import _wf_loop as loop
import _wf_nodes as nodes
import _wf_paths as paths

_run = None
_set = object.__setattr__
_phase = _contextvars.ContextVar("phase", default=None)


def bind(run):
    global _run
    _run = run


class Budget:
    """Tokens of the run: what it may use and what it has used."""

    __slots__ = ("_total", "_spent")

    def __init__(self, total, spent):
        _set(self, "_total", total or None)
        _set(self, "_spent", spent)

    def __setattr__(self, name, value):
        raise AttributeError("budget is read-only: whoever starts a run "
                             "says how many tokens it may use")

    @property
    def total(self):
        return self._total

    def spent(self):
        return self._spent

    def remaining(self):
        """None if there is no limit."""
        if self.total is None:
            return None
        return max(0, self.total - self._spent)

    def settle(self, spent):
        _set(self, "_spent", max(self._spent, spent))

    def __repr__(self):
        return "<budget: %d of %s tokens spent>" % (self._spent, self.total)


# ---- nodes ----

async def agent(prompt, *, agent=None, model=None, schema=None, tools=None,
                sandbox=None, label=None, phase=None, timeout=None,
                retries=0):
    """Give a prompt to an agent and wait for its answer."""
    asked = {"prompt": _string("agent: prompt", prompt)}
    for name, value, most in (("agent", agent, 64), ("model", model, 128),
                              ("sandbox", sandbox, 64)):
        if value is not None:
            asked[name] = _string("agent: " + name, value, most)
    if schema is not None:
        asked["schema"] = _schema(schema)
    if tools is not None:
        asked["tools"] = _tools(tools)
    value = dict(asked, **_extras(label, phase, timeout, retries))
    return await _run.nodes.call(
        "agent", value, asked,
        agent=asked.get("agent"), model=asked.get("model"),
        tools=None if tools is None else ",".join(asked["tools"]),
        label=_short(value.get("label")),
        phase=_short(value.get("phase", _phase.get())))


async def tool(name, /, **input):
    """Call a tool once, without a model."""
    name = _string("tool: name", name, 64)
    value = {"name": name, "input": border.plain(input, "tool: input")}
    return await _run.nodes.call("tool", value, value, tool=name,
                                 phase=_short(_phase.get()))


async def sleep(seconds):
    """Wait; the timer outlives the process."""
    loop.check_delay(seconds, "sleep: seconds")
    if seconds == float("inf"):
        raise ValueError("sleep: seconds must be a finite number, not inf")
    if seconds <= 0:
        return await _asyncio.sleep(0)
    value = {"seconds": nodes.seconds(seconds)}
    await _run.nodes.call("sleep", value, value, phase=_short(_phase.get()))


# ---- branches ----

async def parallel(branches, *, strict=False, limit=None):
    """Run branches at once and wait for all; results in their order."""
    labels, branches = _slots(branches)
    try:
        if not isinstance(strict, bool):
            raise TypeError("parallel: strict must be True or False, not %s"
                            % border.given(strict))
        fan.check_branches(labels or range(len(branches)), branches)
        work = fan.Fan(_run, fan.limit_of(limit, "parallel"), strict)
    except (TypeError, ValueError):
        _run.loop.excuse(branches)
        raise
    here = _run.loop.place()
    k = here.number("p")
    for i, what in enumerate(branches):
        part = i if labels is None else paths.key_segment(labels[i])
        work.add(here.child("p%d.%s" % (k, part)), fan.branch, what,
                 i if labels is None else labels[i])
    results = await work.wait()
    return results if labels is None else dict(zip(labels, results))


async def pipeline(items, *stages, limit=None):
    """Let each item flow through all stages, without a barrier."""
    stages = [(s, fan.arity_of(s, n)) for n, s in enumerate(stages)]
    here = _run.loop.place()
    k = here.number("l")
    work = fan.Fan(_run, fan.limit_of(limit, "pipeline"), False)
    for i, item in enumerate(_items(items)):
        work.add(here.child("l%d.%d" % (k, i)), fan.flow, item, i, stages)
    return await work.wait()


def _slots(branches):
    """The keys, or None for a list, and the branches."""
    if not isinstance(branches, dict):
        return None, _iterable("parallel: branches", branches)
    for key in branches:
        if not isinstance(key, str):
            raise TypeError("parallel: the key %r must be a string, not %s"
                            % (key, type(key).__name__))
    return ([border.plain(key, "parallel: a key") for key in branches],
            list(branches.values()))


def _items(items):
    """A dict would lose its values without a word."""
    if isinstance(items, dict):
        raise TypeError("pipeline: items must be a list, not %s: "
                        "list(d.items()) has its keys and values"
                        % type(items).__name__)
    return _iterable("pipeline: items", items)


def _iterable(what, value):
    try:
        return list(value)
    except TypeError:
        if hasattr(type(value), "__iter__"):
            raise
        raise TypeError("%s must be a list, not %s"
                        % (what, border.given(value))) from None


# ---- progress ----

def phase(title):
    """Say what the script, or this branch of it, does from here on."""
    title = _string("phase: title", title)
    _phase.set(title)
    _run.event("phase", {"title": title})


def log(message, **data):
    """Say something to whoever follows the run."""
    message = border.plain(message, "log: message")
    if type(message) is not str:
        message = border.canonical(message)
    body = {"message": message}
    if data:
        body["data"] = border.plain(data, "log: data")
    _run.event("log", body)


# ---- what is checked before it is asked ----

def _string(what, value, most=None):
    if not isinstance(value, str):
        raise TypeError("%s must be a string, not %s"
                        % (what, border.given(value)))
    value = border.plain(value, what)
    size = len(value.encode())
    if most is not None and not 0 < size <= most:
        raise ValueError("%s must have 1 to %d bytes, not %d"
                         % (what, most, size))
    return value


def _schema(schema):
    if not isinstance(schema, dict):
        raise TypeError("agent: schema must be a JSON schema as a dict, "
                        "not %s" % border.given(schema))
    return border.plain(schema, "agent: schema")


def _tools(tools):
    if isinstance(tools, (str, dict)):
        raise TypeError("agent: tools must be a list of names, not %s"
                        % border.given(tools))
    tools = [_string("agent: tools[%d]" % i, name, 64)
             for i, name in enumerate(_iterable("agent: tools", tools))]
    if len(tools) > 64:
        raise ValueError("agent: tools must have at most 64 names, not %d"
                         % len(tools))
    return tools


def _extras(label, phase, timeout, retries):
    """What isn't part of an agent node's identity."""
    extras = {}
    if label is not None:
        extras["label"] = _string("agent: label", label)
    if phase is not None:
        extras["phase"] = _string("agent: phase", phase)
    if timeout is not None:
        loop.check_delay(timeout, "agent: timeout")
        if not 0 < timeout < float("inf"):
            raise ValueError("agent: timeout must be more than 0 seconds, "
                             "and finite, not %s" % border.given(timeout))
        extras["timeout"] = nodes.seconds(timeout)
    if isinstance(retries, bool) or not isinstance(retries, int):
        raise TypeError("agent: retries must be an integer, not %s"
                        % border.given(retries))
    if not 0 <= retries <= 100:
        raise ValueError("agent: retries must be 0 to 100, not %s"
                         % border.given(retries))
    if retries:
        extras["retries"] = int(retries)
    return extras


def _short(text):
    return None if text is None else border.cut(text, 256)

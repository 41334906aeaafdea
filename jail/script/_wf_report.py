"""What is told of a script that failed: only its own lines."""

import linecache as _linecache
import traceback as _traceback
import types as _types

import _wf_border as border
import _wf_errors as errors
from _wf_graft import FILENAME, LINE_MAX, ScriptError

TRACEBACK_MAX = 32 * 1024
# The attribute for a line that no traceback has.
_ORIGIN = "_wfsup_line"

_SYNTAX = (SyntaxError, IndentationError, TabError, ScriptError)


def remember(lines):
    """Let tracebacks find the lines of the script: there is no file."""
    lines = [line[:LINE_MAX] + "\n" for line in lines]
    _linecache.cache[FILENAME] = (0, None, lines, FILENAME)


def body(exc, hint=None):
    """The body of SCRIPT_FAIL, without failures. Never raises."""
    message = errors.text_of(exc)
    if type(exc) in _SYNTAX and type(exc.msg) is str:
        message = border.clean(exc.msg, errors.TEXT_MAX)
    if hint is not None:
        message = "%s (%s)" % (message, hint)
    return {
        "class": errors.name_of(exc),
        "message": message,
        "cause": "oom" if type(exc) is MemoryError else errors.cause_of(exc),
        "node": errors.node_of(exc),
        "line": line_of(exc),
        "traceback": text(exc),
    }


def plain_body(name, message, line, more=None):
    """A body for what no exception tells: a line of the script and why.
    more is a body to take cause and node from."""
    text = "%s: %s" % (name, message)
    shown = _linecache.getline(FILENAME, line).strip() if line else ""
    if shown:
        text = '  File "%s", line %d\n    %s\n%s' \
            % (FILENAME, line, shown, text)
    more = more or {"cause": None, "node": None}
    return {"class": name, "message": message, "cause": more["cause"],
            "node": more["node"], "line": line,
            "traceback": border.clean(text, TRACEBACK_MAX)}


def made_at(coro):
    """The line of the script that made a coroutine, or None."""
    if type(coro) is not _types.CoroutineType:
        return None
    for filename, line, _ in coro.cr_origin or ():
        if filename == FILENAME:
            return line
    return None


def remember_origin(exc, coro):
    """exc leaves coro. If no line of the script has seen it, because coro
    is ours and a task of its own, then the line that made coro counts."""
    line = made_at(coro)
    if line is not None and _seen_at(exc) is None:
        _attributes(exc)[_ORIGIN] = line


def waits_at(coro):
    """The innermost line of the script in which coro waits, or None."""
    line = None
    while type(coro) is _types.CoroutineType and coro.cr_frame is not None:
        if coro.cr_code.co_filename == FILENAME:
            line = coro.cr_frame.f_lineno
        coro = coro.cr_await
    return line


def line_of(exc):
    """The innermost line of the script that exc went through, or None. Of
    a group it is the first leaf's."""
    if type(exc) in _SYNTAX and exc.filename == FILENAME \
            and type(exc.lineno) is int:
        return exc.lineno
    inner = errors.leaves(exc)[0]
    if type(exc) is RuntimeError and type(exc.__cause__) is StopIteration:
        inner = exc.__cause__           # wrapped by Python itself
    line = None if inner is exc else line_of(inner)
    return line or _seen_at(exc) or _origin(exc)


def _seen_at(exc):
    line = None
    for frame, number in _traceback.walk_tb(errors.traceback_of(exc)):
        if frame.f_code.co_filename == FILENAME:
            line = number
    return line


def _attributes(exc):
    return object.__getattribute__(exc, "__dict__")


def _origin(exc):
    line = _attributes(exc).get(_ORIGIN)
    return line if type(line) is int else None


def text(exc):
    """The traceback of exc as text, our own frames left out."""
    try:
        shown = _traceback.TracebackException(
            type(exc), exc, errors.traceback_of(exc), lookup_lines=False,
            compact=True)
        _only_script(shown, exc)
        whole = "".join(shown.format())
    except BaseException:
        return border.clean("%s: %s" % (errors.name_of(exc),
                                        errors.text_of(exc)), TRACEBACK_MAX)
    return border.clean(whole.rstrip("\n"), TRACEBACK_MAX)


def _only_script(shown, exc):
    """Drop all frames that aren't the script's, here and in what caused it.

    The source of other files can't be read in a jail, and must not be tried.
    """
    todo = [(shown, exc)]
    while todo:
        shown, exc = todo.pop()
        shown.stack[:] = [f for f in shown.stack if f.filename == FILENAME]
        line = _origin(exc)
        if line is not None and not shown.stack:
            shown.stack.append(_traceback.FrameSummary(
                FILENAME, line, "<module>", lookup_line=False))
        if shown.exceptions:
            todo.extend(zip(shown.exceptions, errors.members(exc)))
        todo.extend((s, e) for s, e in (
            (shown.__cause__, exc.__cause__),
            (shown.__context__, exc.__context__)) if s is not None)

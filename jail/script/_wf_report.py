"""What is told of a script that failed: only its own lines."""

import linecache as _linecache
import traceback as _traceback
import types as _types

import _wf_border as border
import _wf_errors as errors
from _wf_graft import FILENAME, LINE_MAX, ScriptError

TRACEBACK_MAX = 32 * 1024

# What these mean here; Python says nothing.
_SILENT = {
    MemoryError: "the script needs more memory than its jail has",
    KeyboardInterrupt: "the script raised KeyboardInterrupt",
}
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
        "message": message or _SILENT.get(type(exc), ""),
        "cause": errors.cause_of(exc),
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


def waits_at(coro):
    """The innermost line of the script in which coro waits, or None."""
    line = None
    while type(coro) is _types.CoroutineType and coro.cr_frame is not None:
        if coro.cr_code.co_filename == FILENAME:
            line = coro.cr_frame.f_lineno
        coro = coro.cr_await
    return line


def line_of(exc):
    """The innermost line of the script that exc went through, or None."""
    if type(exc) in _SYNTAX and exc.filename == FILENAME \
            and type(exc.lineno) is int:
        return exc.lineno
    line = None
    for frame, number in _traceback.walk_tb(errors.traceback_of(exc)):
        if frame.f_code.co_filename == FILENAME:
            line = number
    inner = errors.leaves(exc)[0]
    return line_of(inner) if line is None and inner is not exc else line


def text(exc):
    """The traceback of exc as text, our own frames left out."""
    try:
        shown = _traceback.TracebackException(
            type(exc), exc, errors.traceback_of(exc), lookup_lines=False,
            compact=True)
        _only_script(shown)
        whole = "".join(shown.format())
    except BaseException:
        return border.clean("%s: %s" % (errors.name_of(exc),
                                        errors.text_of(exc)), TRACEBACK_MAX)
    return border.clean(whole.rstrip("\n"), TRACEBACK_MAX)


def _only_script(shown):
    """Drop all frames that aren't the script's, here and in what caused it.

    The source of other files can't be read in a jail, and must not be tried.
    """
    todo = [shown]
    while todo:
        shown = todo.pop()
        shown.stack[:] = [f for f in shown.stack if f.filename == FILENAME]
        todo.extend(getattr(shown, "exceptions", None) or ())
        todo.extend(e for e in (shown.__cause__, shown.__context__)
                    if e is not None)

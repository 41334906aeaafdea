"""Awaits that were forgotten: coroutines of the script that never began.

Python only warns of one, and only when it dies; a script that forgets an
await has not done what it says, so its run must fail, with the line.
"""

import gc as _gc
import sys as _sys
import types as _types
import warnings as _warnings

import _wf_border as border
import _wf_loop as loop
import _wf_report as report

# A coroutine remembers where it was made, through this many frames.
ORIGIN_DEPTH = 4


def watch(rows, where):
    """From now on, add (line, name) of each coroutine that dies unbegun; of
    those that were given to another one, the other is told."""
    def note(coro):
        line = report.made_at(coro)
        if line is not None:
            rows.append((line, _name(coro)))
            where.excuse_given(coro)
    _sys.set_coroutine_origin_tracking_depth(ORIGIN_DEPTH)
    _warnings._warn_unawaited_coroutine = note


def forgotten(rows, where):
    """All rows by line: those that died, and those that still wait in some
    variable and aren't excused by the loop."""
    try:
        _gc.collect()
        alive = [o for o in _gc.get_objects()
                 if loop.never_began(o) and report.made_at(o) is not None]
        for coro in alive:
            where.excuse_given(coro)
        alive = [(report.made_at(o), _name(o)) for o in alive
                 if not where.excused(o)]
    except MemoryError:         # a script may have left no room to look
        alive = []
    return sorted(rows + alive)


def _name(coro):
    return border.clean(str.__str__(coro.__name__), 64)

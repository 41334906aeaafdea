"""Node identity: where a call is, not when it happened.

Each task has a place. A place counts what begins in it, one counter a kind,
so the name of a node does not depend on the order in which concurrent
branches happen to run.
"""

import contextvars as _contextvars
import hashlib as _hashlib

PATH_MAX = 1024
KEY_MAX = 256

_ENCODED = {"/", ".", "#", "%", "="}

# The place of callbacks that run outside any task.
current = _contextvars.ContextVar("place")


class Place:
    """A path, and the counters of what began there."""

    __slots__ = ("path", "_counts")

    def __init__(self, path):
        if len(path.encode()) > PATH_MAX - 64:
            raise ValueError("branches are nested too deep here: the path "
                             "of a node has at most %d bytes" % PATH_MAX)
        self.path = path
        self._counts = {}

    def number(self, kind):
        """The next number of its kind, from 0."""
        n = self._counts.get(kind, 0)
        self._counts[kind] = n + 1
        return n

    def child(self, segment):
        return Place(self._below(segment))

    def task(self):
        return self.child("t%d" % self.number("t"))

    def node(self, kind):
        return self._below("%s#%d" % (kind, self.number(kind)))

    def _below(self, segment):
        return self.path.rstrip("/") + "/" + segment


def key_segment(key):
    """A key of a dict as part of a path; long keys by their digest."""
    text = "".join(_percent(c) if _special(c) else c for c in key)
    if len(text.encode()) <= KEY_MAX:
        return "=" + text
    return "=%~" + _hashlib.sha256(key.encode()).hexdigest()


def _special(c):
    return c in _ENCODED or ord(c) < 0x20 or 0x7f <= ord(c) < 0xa0


def _percent(c):
    return "".join("%%%02X" % b for b in c.encode())

"""asyncio's timeouts, with an error that says something.

Python's own TimeoutError has no text. These say how long was waited, and
have the cause that a node's timeout has.
"""

import asyncio as _asyncio


class Timeout(_asyncio.Timeout):
    """asyncio.Timeout; it knows when it began."""

    async def __aenter__(self):
        self._began = _asyncio.get_running_loop().time()
        return await super().__aenter__()

    async def __aexit__(self, kind, exc, traceback):
        try:
            return await super().__aexit__(kind, exc, traceback)
        except TimeoutError:
            seconds = self.when() - self._began
        raise late(seconds) from exc


def timeout(delay):
    """asyncio.timeout."""
    now = _asyncio.get_running_loop().time()
    return Timeout(None if delay is None else now + delay)


def timeout_at(when):
    """asyncio.timeout_at."""
    return Timeout(when)


def late(seconds):
    """The error of who waited in vain for so many seconds."""
    text = "%.3f" % max(0, seconds)
    exc = TimeoutError("no result within %s s"
                       % text.rstrip("0").rstrip("."))
    exc.cause = "timeout"
    return exc


def amend(asyncio):
    for module in (asyncio, asyncio.timeouts):
        module.Timeout = Timeout
        module.timeout = timeout
        module.timeout_at = timeout_at

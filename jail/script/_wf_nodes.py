"""The nodes of a run: asked, recorded, delivered.

An outcome that was recorded in an earlier life of the run is served from
memory, in the order in which the outcomes came; only what isn't recorded is
asked for. While recorded outcomes are left, questions are held back: one
that the script withdraws on the way was withdrawn then too.
"""

import asyncio as _asyncio
import collections as _collections
import hashlib as _hashlib
import types as _types

import _wf_border as border
import _wf_errors as errors
import _wf_report as report
import messages as _messages


class Nodes:
    def __init__(self, jail, loop, clock, budget):
        self._jail = jail
        self._loop = loop
        self._clock = clock
        self._budget = budget
        self._recorded = _collections.deque()
        self._digests = {}          # path: digest, as recorded
        self._pending = {}          # path: whom to tell
        self._dropped = set()
        self._held = {}             # path: the question
        self._asked = 0
        self._parked = []           # who calls after the end

    # ---- the script's side ----

    @_types.coroutine
    def call(self, kind, value, digested, **judged):
        """One node; its value, or its exception. After the script's end
        it is a node that never ends: whatever the task does with an error,
        it gets no further. Of a generator Python does not ask where it was
        made: it is awaited at once."""
        answer = _asyncio.Future(loop=self._loop)
        if self._loop.closing:
            self._parked.append(answer)
            yield from answer
        path = self._begin(kind, value, digested, judged, answer.set_result)
        try:
            ok, value = yield from answer
        finally:
            self.drop(path)
        if ok:
            return value
        exc = errors.from_outcome(path, value)
        report.remember_origin(exc, _asyncio.current_task().get_coro())
        raise exc

    def timer(self, delay, fire):
        """A sleep node for the loop; fire gets None or an exception.
        None if it will never fire, for the script has ended."""
        if self._loop.closing:
            return None
        def tell(outcome):
            ok, value = outcome
            fire(None if ok else errors.from_outcome(path, value))
        value = {"seconds": seconds(delay)}
        path = self._begin("sleep", value, value, {}, tell)
        return path

    def drop(self, path):
        """Nobody waits for this node any more."""
        if self._pending.pop(path, None) is None:
            return
        self._dropped.add(path)
        if path in self._digests:
            return
        self._held.pop(path, None)
        self._jail.send(_messages.NODE_CANCEL, 0,
                        border.canonical({"path": path}), None)

    def drop_all(self):
        for path in list(self._pending):
            self.drop(path)

    def _begin(self, kind, value, digested, judged, tell):
        path = self._loop.place().node(kind)
        text = border.canonical(digested)
        digest = _hashlib.sha256((kind + text).encode()).hexdigest()
        then = self._digests.get(path)
        if then is not None and then != digest:
            raise self._loop.fail(_changed(path, kind, text, then, digest))
        if then is None:
            # One member is its own order.
            body = text.encode() if kind == "sleep" \
                else border.encode(value, kind)
            judged.update(path=path, kind=kind, digest=digest)
            self._ask(path, (border.flat(judged), body))
        self._pending[path] = tell
        return path

    def _ask(self, path, question):
        if self._recorded:
            self._held[path] = question
        else:
            self._send(question)

    def _send(self, question):
        self._asked += 1
        self._jail.send(_messages.NODE_ASK, self._asked, *question)

    # ---- the world's side ----

    def record(self, rows):
        """Outcomes of an earlier life, in the order of their completion."""
        for row in rows:
            self._digests[row[0]] = row[1]
            self._recorded.append(row)

    def next_event(self):
        """Deliver one outcome: the next recorded, else the next to come."""
        if self._recorded:
            self._replay(*self._recorded.popleft())
            return
        for question in self._held.values():
            self._send(question)
        self._held.clear()
        if self._pending:
            self._receive()
        else:
            self._loop.starve()

    def _replay(self, path, digest, now, spent, ok, value):
        if path in self._pending:
            self._deliver(path, now, spent, ok, value)
        elif path not in self._dropped:
            self._loop.fail(errors.NondeterminismError(
                "node %s: then it had begun by this point (digest %s), now "
                "the script has not begun it" % (path, digest[:12]), path))

    def _receive(self):
        kind, _, envelope, body = self._jail.recv()
        if kind != _messages.NODE_ANSWER:
            raise RuntimeError("message %#x is not for a script" % kind)
        env = border.decode_ours(envelope)
        # The answer may have crossed with our NODE_CANCEL.
        if env["path"] in self._pending:
            self._deliver(env["path"], env["now"], env["spent"], env["ok"],
                          border.decode_ours(body.decode()))

    def _deliver(self, path, now, spent, ok, value):
        tell = self._pending.pop(path)
        self._clock.advance(now)
        self._budget.settle(spent)
        tell((ok, value))


def seconds(delay):
    """A delay as JSON: one spelling for 5 and 5.0."""
    delay = float(delay)
    return int(delay) if delay.is_integer() else delay


def _changed(path, kind, text, then, now):
    return errors.NondeterminismError(
        "node %s: then its input had the digest %s, now it has %s and is "
        "%s %s" % (path, then[:12], now[:12], kind, border.clean(text, 200)),
        path)

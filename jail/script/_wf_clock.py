"""Time and chance, such that a replay sees what the first run saw.

Now is the moment of the last event delivered to the script; random numbers
come from the run's seed. Time zone is UTC, for a run may go on elsewhere.
"""

import datetime as _datetime
import random as _random
import time as _time
import uuid as _uuid

_real = {name: getattr(_time, name) for name in (
    "localtime", "gmtime", "ctime", "asctime", "strftime")}
_PlainRandom = _random.Random
_PlainDatetime = _datetime.datetime


class Clock:
    """Milliseconds since 1970; it stands still between two events."""

    def __init__(self):
        self.start = self.now = 0

    def set(self, now):
        self.start = self.now = now

    def advance(self, now):
        self.now = max(self.now, now)

    def seconds(self):
        return self.now / 1000

    def elapsed(self):
        return (self.now - self.start) / 1000


class Random(_PlainRandom):
    """random.Random, seeded from the run where no seed is given."""

    root = None

    def __init__(self, x=None):
        super().__init__(0)
        self.seed(x)

    def seed(self, a=None, version=2):
        if a is None and Random.root is not None:
            a = Random.root.getrandbits(256)
        super().seed(0 if a is None else a, version)


Random.__module__ = "random"


def install(clock):
    """Put the clock into the modules that know time or chance."""
    _install_time(clock)
    _install_datetime(clock)
    _install_random()
    _install_uuid(clock)


def seed(text):
    """Begin the run's sequence of random numbers."""
    Random.root = _PlainRandom(text)
    _random.seed(Random.root.getrandbits(256))


def _refuse_sleep(seconds):
    """Always raises: a sleep here would stop every branch."""
    raise RuntimeError("time.sleep() would stop every branch of the "
                       "workflow: use `await sleep(seconds)`")


def _install_time(clock):
    for name in ("monotonic", "perf_counter", "process_time", "thread_time"):
        setattr(_time, name, clock.elapsed)
        setattr(_time, name + "_ns",
                lambda: (clock.now - clock.start) * 1000000)
    _time.time = clock.seconds
    _time.time_ns = lambda: clock.now * 1000000
    _time.clock_gettime = lambda clk_id: clock.seconds()
    _time.clock_gettime_ns = lambda clk_id: clock.now * 1000000
    _time.sleep = _refuse_sleep
    for name in ("localtime", "gmtime", "ctime"):
        setattr(_time, name, _at_now(_real[name], clock.seconds))
    _time.asctime = _at_now(_real["asctime"], lambda: _time.localtime())
    _time.strftime = lambda format, t=None: _real["strftime"](
        format, _time.localtime() if t is None else t)


def _at_now(function, now):
    def at(moment=None):
        return function(now() if moment is None else moment)
    at.__name__ = at.__qualname__ = function.__name__
    return at


def _install_datetime(clock):
    class datetime(_PlainDatetime):
        """datetime.datetime, whose now is the script's."""

        @classmethod
        def now(cls, tz=None):
            return cls.fromtimestamp(clock.seconds(), tz)

        @classmethod
        def utcnow(cls):
            return cls.utcfromtimestamp(clock.seconds())

        @classmethod
        def today(cls):
            return cls.fromtimestamp(clock.seconds())

        def __repr__(self):
            text = super().__repr__()
            return text if "." in text.split("(")[0] else "datetime." + text

    datetime.__module__ = "datetime"
    datetime.__qualname__ = "datetime"
    datetime.min = datetime(1, 1, 1)
    datetime.max = datetime(9999, 12, 31, 23, 59, 59, 999999)
    _datetime.datetime = datetime


def _install_random():
    shared = Random(0)
    _random.Random = Random
    _random._inst = shared
    _random._urandom = lambda n: Random.root.randbytes(n)
    for name in _random.__all__:
        if hasattr(shared, name) and name[0].islower():
            setattr(_random, name, getattr(shared, name))


def _install_uuid(clock):
    last, host = 0, None

    def uuid4():
        """A random UUID out of the run's seed."""
        return _uuid.UUID(int=Random.root.getrandbits(128), version=4)

    def getnode():
        """A random multicast address: the jail has no network."""
        nonlocal host
        if host is None:
            host = Random.root.getrandbits(48) | 1 << 40
        return host

    def uuid1(node=None, clock_seq=None):
        """A UUID out of the script's time and the run's seed."""
        nonlocal last
        stamp = max(clock.now * 10000 + 0x01b21dd213814000, last + 1)
        last = stamp
        if node is None:
            node = getnode()
        if clock_seq is None:
            clock_seq = Random.root.getrandbits(14)
        return _uuid.UUID(fields=(
            stamp & 0xffffffff, stamp >> 32 & 0xffff, stamp >> 48 & 0x0fff,
            clock_seq >> 8 & 0x3f, clock_seq & 0xff, node), version=1)

    _uuid.uuid1, _uuid.uuid4, _uuid.getnode = uuid1, uuid4, getnode

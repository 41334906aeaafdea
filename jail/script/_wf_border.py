"""The border: what may cross between the script and the world is JSON.

plain() takes any value of the script and gives a copy made of nothing but
dict, list, str, int, float, bool and None, or refuses with a sentence that
names the place inside the value. Nothing that comes back from it can run
code of the script, so whatever encodes or hashes it is safe.
"""

import asyncio as _asyncio
import collections as _collections
import datetime as _datetime
import decimal as _decimal
import enum as _enum
import fractions as _fractions
import json as _json
import json.encoder as _encoder
import types as _types
import uuid as _uuid

DEPTH_MAX = 64
# As many bytes as the broker takes from a script in one message.
BODY_MAX = 4 * 1024 * 1024     # or what the profile says: see limit
INT_MAX = 2 ** 63 - 1
INT_MIN = -2 ** 63

_PASS = (type(None), bool)
_INFINITY = float("inf")



def _dumper(sort):
    """JSONEncoder.encode, which would make an encoder of C for each value
    anew. What is plain does not contain itself."""
    json = _json.JSONEncoder(ensure_ascii=False, allow_nan=False,
                             check_circular=False, sort_keys=sort,
                             separators=(",", ":"))
    if _encoder.c_make_encoder is None:
        return json.encode
    parts = _encoder.c_make_encoder(
        None, json.default, quote, None, ":", ",", sort, False, False)
    return lambda value: "".join(parts(value, 0))


quote = _encoder.encode_basestring      # a string as JSON
_dump = _dumper(False)
_dump_sorted = _dumper(True)
_load = _json.JSONDecoder().decode
_load_begin = _json.JSONDecoder().raw_decode


def limit(most):
    """No body is longer, by the run's profile: the broker sees to it."""
    global BODY_MAX
    BODY_MAX = most


def plain(value, where):
    """Copy value as plain JSON, or raise TypeError or ValueError."""
    return _plain(value, (where,), [])


def encode(value, what):
    """The bytes of a plain value, members in their own order."""
    body = _dump(value).encode()
    if len(body) > BODY_MAX:
        raise ValueError("%s: %d bytes of JSON, but at most %d can be sent "
                         "at once" % (what, len(body), BODY_MAX))
    return body


def canonical(value):
    """The one text of a plain value: sorted members, no white space."""
    return _dump_sorted(value)


def flat(members):
    """The text of an object of strings; those that are None are left out."""
    return "{%s}" % ",".join(['"%s":%s' % (name, quote(text))
                              for name, text in members.items()
                              if text is not None])


def decode(body):
    return _load(bytes(body).decode())


def decode_ours(text):
    """The same of a text that keeper or broker wrote: it has no space."""
    return _load_begin(text)[0]


def clean(text, limit):
    """Any text as one that may cross: for what people read, never data."""
    text = str.encode(text[:limit + 1], "utf-8", "backslashreplace").decode()
    text = text.replace("\0", "\\x00")
    return text if len(text) <= limit else text[:limit] + "..."


def cut(text, size):
    """The longest beginning of text that has at most size bytes."""
    return text.encode()[:size].decode("utf-8", "ignore")


def _plain(value, path, above):
    kind = type(value)
    if kind in _PASS:
        return value
    if issubclass(kind, str):
        return _text(str.__str__(value), path)
    if issubclass(kind, int):
        return _integer(int.__add__(value, 0), path)
    if issubclass(kind, float):
        return _number(float.__float__(value), path)
    if issubclass(kind, (dict, list, tuple)):
        return _container(value, kind, path, above)
    raise TypeError("%s: %s is not JSON%s"
                    % (_spell(path), _name(kind), _hint(kind)))


def _container(value, kind, path, above):
    if id(value) in above:
        raise ValueError("%s: the value contains itself" % _spell(path))
    if len(above) >= DEPTH_MAX:
        raise ValueError("%s: nested more than %d deep"
                         % (_spell(path), DEPTH_MAX))
    above.append(id(value))
    try:
        if issubclass(kind, dict):
            return _object(value, path, above)
        items = list if issubclass(kind, list) else tuple
        return [_plain(item, (path, i), above)
                for i, item in enumerate(items.__iter__(value))]
    finally:
        above.pop()


def _object(value, path, above):
    out = {}
    for key, item in list(dict.items(value)):
        if not issubclass(type(key), str):
            raise TypeError("%s: the key %s is %s, but keys of JSON are "
                            "strings" % (_spell(path), _show(key),
                                         _name(type(key))))
        key = _text(str.__str__(key), path, "a key")
        if key in out:
            raise ValueError("%s: the key %s is there twice"
                             % (_spell(path), _show(key)))
        out[key] = _plain(item, (path, key), above)
    return out


def _text(text, path, what="the string"):
    if "\0" in text:
        raise ValueError("%s: %s has a NUL character" % (_spell(path), what))
    if not text.isascii():
        try:
            text.encode()
        except UnicodeEncodeError:
            raise ValueError("%s: %s has a lone surrogate"
                             % (_spell(path), what)) from None
    return text


def _integer(number, path):
    if INT_MIN <= number <= INT_MAX:
        return number
    raise ValueError("%s: the integer is beyond 64 bits" % _spell(path))


def _number(number, path):
    if number != number:
        raise ValueError("%s: NaN is not JSON" % _spell(path))
    if number in (_INFINITY, -_INFINITY):
        raise ValueError("%s: infinity is not JSON" % _spell(path))
    return number


def _spell(path):
    """A path is (root,) or (path of the parent, key or index)."""
    parts = []
    while len(path) == 2:
        path, step = path
        if type(step) is int:
            parts.append("[%d]" % step)
        elif step.isidentifier() and len(step) <= 64:
            parts.append("." + step)
        else:
            parts.append("[%s]" % _show(step))
    parts.append(path[0])
    return "".join(reversed(parts))


def _show(key):
    """A key for an error text; never calls code of the script."""
    if type(key) is str:
        return _dump(clean(key, 64))
    if type(key) in (int, float, bool, type(None)):
        try:
            return repr(key)[:64]
        except ValueError:
            pass
    return "<%s>" % _name(type(key))


def _name(kind):
    return clean(type.__dict__["__name__"].__get__(kind), 64)


def given(value):
    """What was given, for an error text; never calls code of the script."""
    kind = type(value)
    if kind is str and len(value) > 40 or kind is int and abs(value) > 1e40:
        return _name(kind)
    if kind in (str, int, float, bool):
        return "%s %s" % (_name(kind), _show(value))
    return _name(kind) + _hint(kind) if kind is _types.CoroutineType \
        else _name(kind)


# What makes JSON of a kind: of the first that is on the way to object.
_HINTS = (
    (_types.CoroutineType, "was its await forgotten?"),
    ((_types.FunctionType, _types.MethodType, _types.BuiltinFunctionType),
     "was it to be called?"),
    (_asyncio.Future, "its result comes by await"),
    (_enum.Enum, "its .value may be"),
    (_datetime.timedelta, ".total_seconds() makes a number of it"),
    (_datetime.date, ".isoformat() makes a string of it"),
    (_datetime.time, ".isoformat() makes a string of it"),
    (_uuid.UUID, "str() makes a string of it"),
    (_decimal.Decimal, "str() or float() makes JSON of it"),
    (_fractions.Fraction, "str() or float() makes JSON of it"),
    (complex, "a list of .real and .imag is"),
    ((bytes, bytearray), ".decode() makes a string of it"),
    (BaseException, "str() makes a string of it"),
    ((set, frozenset), "sorted() makes a list of it"),
    ((range, _collections.deque, map, filter, zip, enumerate, reversed,
      _types.GeneratorType, type({}.keys()), type({}.values()),
      type({}.items())), "list() makes a list of it"),
)


def _hint(kind):
    for kinds, text in _HINTS:
        if issubclass(kind, kinds):
            return " (%s)" % text
    if "__dataclass_fields__" in kind.__dict__:
        return " (dataclasses.asdict() makes a dict of it)"
    return ""

"""Which modules a script may import, and what their absence says.

All of them are imported before the jail closes, when there still is a file
system. The guard is the import function of the script's own builtins: it
judges what the script asks for, and lets the standard library and code in
C (strptime, codecs) import for themselves.
"""

import builtins as _builtins
import importlib as _importlib
import importlib.machinery as _machinery
import sys as _sys

OFFERED = (
    "__future__", "abc", "asyncio", "base64", "bisect", "cmath",
    "collections", "contextlib", "copy", "csv", "dataclasses", "datetime",
    "decimal", "difflib", "enum", "fractions", "functools", "hashlib",
    "heapq", "html", "io", "itertools", "json", "math", "operator",
    "random", "re", "statistics", "string", "struct", "textwrap", "time",
    "typing", "unicodedata", "uuid")

# Parts of what is offered, and what it imports when first used.
_PRELOADED = OFFERED + (
    "collections.abc", "html.entities", "html.parser", "_strptime",
    "calendar", "locale", "_decimal", "_pydatetime", "_json", "_csv",
    "tracemalloc", "linecache", "traceback", "warnings",
    "encodings.ascii", "encodings.base64_codec", "encodings.charmap",
    "encodings.cp1252", "encodings.hex_codec", "encodings.idna",
    "encodings.iso8859_1", "encodings.iso8859_15", "encodings.latin_1",
    "encodings.punycode", "encodings.raw_unicode_escape",
    "encodings.rot_13", "encodings.unicode_escape", "encodings.utf_16",
    "encodings.utf_16_be", "encodings.utf_16_le", "encodings.utf_32",
    "encodings.utf_32_be", "encodings.utf_32_le", "encodings.utf_7",
    "encodings.utf_8", "encodings.utf_8_sig")


def preload():
    """Import everything now: after this nobody looks for files."""
    for name in _PRELOADED:
        try:
            _importlib.import_module(name)
        except ImportError:
            if name in OFFERED:
                raise
    _sys.meta_path[:] = [_machinery.BuiltinImporter,
                         _machinery.FrozenImporter, _Nothing]


def _sentence(name):
    return ("there is no module %r in a workflow: a script can import %s"
            % (name, ", ".join(OFFERED)))


class _Nothing:
    """Last on the meta path: says what there is instead of not found."""

    @staticmethod
    def find_spec(name, path=None, target=None):
        if name.partition(".")[0] in OFFERED:
            return None
        raise ModuleNotFoundError(_sentence(name), name=name)


def guarded_import(name, globals=None, locals=None, fromlist=(), level=0):
    """__import__ as scripts have it."""
    # Code in C that runs for the script imports through this too. It is
    # told by its empty list, which no import statement passes.
    from_c = type(fromlist) is list and not fromlist
    if not from_c and type(name) is str and level == 0 \
            and name.partition(".")[0] not in OFFERED:
        raise ModuleNotFoundError(_sentence(name), name=name)
    return _builtins.__import__(name, globals, locals, fromlist, level)

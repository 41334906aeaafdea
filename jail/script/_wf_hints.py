"""What the author probably meant, beside what Python says of an error."""

import difflib as _difflib
import inspect as _inspect
import linecache as _linecache
import re as _re

import _wf_api as api
import _wf_errors as errors
import _wf_graft as graft
import _wf_modules as modules
import _wf_report as report

_TOOLS = ("read", "write", "edit", "bash", "grep", "glob")
_TOOL = 'tool("bash", command="ls")'

# How our own functions are called right.
_RIGHT = {
    "agent": 'options have names: agent("...", model="...")',
    "tool": "the name comes first, and inputs have names: " + _TOOL,
    "parallel": "branches are one list: parallel([a, b])",
    "pipeline": "items, and a function for each stage: "
                "pipeline(items, first, second)",
    "sleep": "one number of seconds",
    "phase": 'one text: phase("review")',
    "log": 'one text, and data by name: log("found", count=3)',
}
_SEVERAL = ("list", "tuple", "set", "generator", "dict", "dict_values")


def hint(error, forgotten, scope):
    """A clause, or None. scope is the script's globals: what it has named
    itself is none of ours."""
    error = errors.leaves(error)[0]
    text = errors.text_of(error)
    for kind, pattern, say in _HINTS:
        found = pattern.search(text) if type(error) is kind else None
        said = say(error, found, scope) if found else None
        if said:
            return said
    if forgotten and "coroutine" in text:
        line, name = forgotten[0]
        return "was the await of %s() in line %d forgotten?" % (name, line)
    return None


def _name(error, found, scope):
    if error.name in modules.OFFERED:
        return "is `import %s` missing?" % error.name
    return '`await tool("%s", ...)`' % error.name \
        if error.name in _TOOLS else None


def _keys(found, name):
    if name in found:
        return 'a dict has keys: ["%s"]' % name
    keys = ['["%s"]' % k for k in found if type(k) is str and len(k) < 40]
    return "this dict has " + (", ".join(keys[:6]) or "no keys")


def _attribute(error, found, scope):
    if type(error.obj) is dict:
        return _keys(error.obj, found[1])
    return "`await %s`" % _TOOL if error.obj is api.tool else None


def _right(error, found, scope):
    return None if found[1] in scope else _RIGHT.get(found[1])


def _no_option(error, found, scope):
    function = vars(api).get(found[1])
    if found[1] in scope or found[1] not in _RIGHT:
        return None
    names = [p.name for p in _inspect.signature(function).parameters.values()
             if p.kind is p.KEYWORD_ONLY]
    if not names:
        return _RIGHT[found[1]]
    near = _difflib.get_close_matches(found[2], names, 1)
    return "%sits options are %s" \
        % ("is it %s? " % near[0] if near else "", ", ".join(names))


def _awaited(error, found, scope):
    if found[1] in _SEVERAL:
        return "several at once: `await parallel([...])`, or " \
            "`await asyncio.gather(*...)`"
    return "is it to be called?" \
        if found[1] in ("function", "method") else None


def _in_line(pattern, text):
    """A hint if the line where it went wrong looks like that."""
    pattern = _re.compile(pattern)

    def say(error, found, scope):
        line = _linecache.getline(graft.FILENAME, report.line_of(error) or 0)
        match = pattern.search(line)
        return match and text % match.groups()
    return say


def _always(text):
    return lambda error, found, scope: text


# The first that matches and has something to say.
_HINTS = [(kind, _re.compile(pattern), say) for kind, pattern, say in (
    (NameError, "", _name),
    (AttributeError, r"has no attribute '(\w+)'$", _attribute),
    (RuntimeError, "^coroutine raised StopIteration$",
     _always("next() has found nothing: give it a default")),
    (TypeError, r"^(\w+)\(\) (?:takes (?:from \d+ to )?\d+ positional "
     r"arguments? but|missing \d+ required|got multiple values)", _right),
    (TypeError, r"^(\w+)\(\) got an unexpected keyword argument '(\w+)'",
     _no_option),
    (TypeError, r"^object (\S+) can't be used in 'await' expression$",
     _awaited),
    (TypeError, "^object NoneType can't be used in 'await'", _in_line(
        r"\bawait\s+(log|phase|print)\s*\(", "%s() is not awaited")),
    (TypeError, "^'NoneType' object does not support the", _in_line(
        r"\bwith\s+(phase)\s*\(", "%s() is a line of its own")),
    (TypeError, "^unhashable type: 'list'$", _in_line(
        r"\b(gather)\(", "%s(*[...]) takes what is in a list")),
    (TypeError, "^Passing coroutines is forbidden", _always(
        "asyncio.create_task() makes a task of one")),
    (TypeError, "^the JSON object must be str", _always(
        "an outcome is a value already, not the text of one")),
)]

"""What the author probably meant, beside what Python says of an error."""

import linecache as _linecache
import re as _re

import _wf_errors as errors
import _wf_graft as graft
import _wf_modules as modules
import _wf_report as report

# Our own functions, called with more arguments than they have.
_TOO_MANY = _re.compile(r"(\w+)\(\) takes (?:from \d+ to )?\d+ positional "
                        r"arguments? but")
_RIGHT = {
    "agent": 'options have names: agent("...", model="...")',
    "tool": 'inputs have names: tool("bash", command="ls")',
    "parallel": "branches are one list: parallel([a, b])",
    "sleep": "one number of seconds",
    "phase": 'one text: phase("review")',
    "log": 'one text, and data by name: log("found", count=3)',
}

_AWAITED = _re.compile(r"object (\S+) can't be used in 'await' expression")
_SEVERAL = ("list", "tuple", "set", "generator", "dict", "dict_values")
_AWAITED_WORD = _re.compile(r"\bawait\s+(log|phase|print)\s*\(")


def hint(error, forgotten, scope):
    """A clause, or None. scope is the script's globals: what it has named
    itself is none of ours."""
    error = errors.leaves(error)[0]
    kind, text = type(error), errors.text_of(error)
    if kind is NameError and error.name in modules.OFFERED:
        return "is `import %s` missing?" % error.name
    if forgotten and "coroutine" in text:
        line, name = forgotten[0]
        return "was the await of %s() in line %d forgotten?" % (name, line)
    if kind is RuntimeError and type(error.__cause__) is StopIteration:
        return "next() has found nothing: give it a default"
    return _of_call(text, error, scope) if kind is TypeError else None


def _of_call(text, error, scope):
    found = _TOO_MANY.match(text)
    if found and found[1] not in scope:
        return _RIGHT.get(found[1])
    found = _AWAITED.match(text)
    if not found:
        return None
    if found[1] == "NoneType":
        line = _linecache.getline(graft.FILENAME, report.line_of(error) or 0)
        word = _AWAITED_WORD.search(line)
        return word and "%s() is not awaited" % word[1]
    if found[1] in _SEVERAL:
        return "several at once: `await parallel([...])`, or " \
            "`await asyncio.gather(*...)`"
    if found[1] in ("function", "method"):
        return "is it to be called?"
    return None

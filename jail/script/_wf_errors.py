"""What can go wrong with a node, and telling it from a bug of the script.

A node failure is an outcome that wfsup recorded: parallel and pipeline turn
it into a hole. Everything else is a bug and ends the run.
"""

import _wf_border as border

TEXT_MAX = 8 * 1024
PATH_MAX = 1024


class NodeError(Exception):
    """A node failed. node is its path; cause and rule are texts or None."""

    def __init__(self, message="", *, node=None, cause=None, rule=None):
        super().__init__(message)
        self.node = node
        self.cause = cause
        self.rule = rule


class AgentError(NodeError):
    """An agent gave no answer."""


class ToolError(NodeError):
    """A tool call failed."""


class ScopeError(NodeError):
    """The scope of the run does not allow it; rule is what would."""


class WorkflowError(NodeError):
    """A nested workflow failed."""


class BudgetError(NodeError):
    """The budget of the run does not suffice."""


class Refused(NodeError):
    """A human refused, or nobody answered in time."""


class NondeterminismError(Exception):
    """A replay asks for something else than what was recorded."""

    def __init__(self, message, node=None):
        super().__init__(message)
        self.node = node
        self.cause = "replay"


class DeadlockError(Exception):
    """All tasks wait, and nothing can ever wake them."""


FOR_SCRIPTS = (NodeError, AgentError, ToolError, ScopeError, WorkflowError,
               BudgetError, Refused)

for _class in FOR_SCRIPTS + (NondeterminismError, DeadlockError):
    _class.__module__ = "builtins"

members = BaseExceptionGroup.exceptions.__get__
_message = BaseExceptionGroup.message.__get__
traceback_of = BaseException.__dict__["__traceback__"].__get__
# What these mean here; Python says nothing.
_SILENT = {
    MemoryError: "the script needs more memory than its jail has",
    AssertionError: "an assertion of the script does not hold",
}
_BY_NAME = {c.__name__: c for c in FOR_SCRIPTS}


def from_outcome(path, outcome):
    """The exception of a recorded error: class, message, cause, rule."""
    name = outcome.get("class")
    message = outcome.get("message") or name or "failed"
    cause, rule = outcome.get("cause"), outcome.get("rule")
    if rule is not None and rule not in message:
        message = "%s (%s)" % (message, rule)
    if name == "TimeoutError":
        exc = TimeoutError(message)
        exc.node, exc.cause, exc.rule = path, cause, rule
        return exc
    kind = _BY_NAME.get(name)
    if kind is None:
        kind, message = NodeError, "%s: %s" % (name, message)
    return kind(message, node=path, cause=cause, rule=rule)


def is_a(exc, kinds):
    """isinstance that runs no code of the script."""
    return issubclass(type(exc), kinds)


def leaves(exc):
    """The exceptions in a group, however nested; else exc alone."""
    todo, out = [exc], []
    while todo:
        exc = todo.pop()
        if is_a(exc, BaseExceptionGroup):
            todo.extend(reversed(members(exc)))
        else:
            out.append(exc)
    return out


def is_failure(exc):
    """True if exc is a node's failure and not a bug of the script."""
    return all(is_a(e, (NodeError, TimeoutError)) for e in leaves(exc))


def name_of(exc):
    name = type.__dict__["__name__"].__get__(type(exc))
    return border.cut(border.clean(name, 100), 120) or "Exception"


def text_of(exc):
    """str(exc), whatever the script's __str__ does; of a group also what
    its first leaf says."""
    if is_a(exc, BaseExceptionGroup):
        return _text_of_group(exc)
    try:
        text = border.clean(str.__str__(str(exc)), TEXT_MAX)
    except BaseException:
        return "<its text can't be had>"
    return text or _SILENT.get(type(exc)) \
        or "the script raised " + name_of(exc)


def _text_of_group(group):
    found = leaves(group)
    first = "%s: %s" % (name_of(found[0]), text_of(found[0]))
    more = " (and %d more)" % (len(found) - 1) if len(found) > 1 else ""
    message = border.clean(str.__str__(_message(group)), TEXT_MAX)
    return border.clean("%s: %s%s" % (message, first, more), TEXT_MAX)


def node_of(exc):
    return _attribute(exc, "node")


def cause_of(exc):
    return _attribute(exc, "cause")


def failure_row(exc, path):
    """One row of the run's failures: exc left a hole at path."""
    return {
        "node": node_of(exc) or path,
        "class": name_of(exc),
        "message": text_of(exc),
        "cause": cause_of(exc),
    }


def _attribute(exc, name):
    """A text that wfsup put on the first leaf of exc, or None."""
    exc = leaves(exc)[0]
    value = object.__getattribute__(exc, "__dict__").get(name)
    return border.clean(value, PATH_MAX) if type(value) is str else None

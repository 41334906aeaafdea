"""From the text of a script to code that may await and return at its top.

The text is parsed as it stands. The statements of the top level are moved,
as a tree, into one coroutine function that declares every name it binds as
global; so line numbers, strings and the meaning of names stay what they
were. Text is never indented or pasted.
"""

import ast as _ast

SOURCE_MAX = 512 * 1024
FILENAME = "<script>"
# So much of a line is shown.
LINE_MAX = 300
# The function that holds the top level. Tracebacks print it.
TOP = "<module>"
# A call the graft puts around a returned value, to remember the line.
MARK = "<return>"

_FUNCTIONS = (_ast.FunctionDef, _ast.AsyncFunctionDef, _ast.Lambda)
_AWAITS = (_ast.Await, _ast.AsyncFor, _ast.AsyncWith)


class ScriptError(SyntaxError):
    """The text as a whole is no script."""


ScriptError.__module__ = "builtins"


class Program:
    """A script, compiled; meta is its literal or None."""

    def __init__(self, code, meta, calls_main, lines):
        self.code = code
        self.meta = meta
        self.calls_main = calls_main
        self.lines = lines


def split(source):
    """The lines of a source, as Python counts them."""
    return source.replace("\r\n", "\n").replace("\r", "\n").split("\n")


def build(source):
    """Compile a script. Raises SyntaxError or one of its kin."""
    source = source.removeprefix("\ufeff")
    _check_text(source)
    lines = split(source)
    try:
        tree = _ast.parse(source, FILENAME)
        if not tree.body:
            raise _error("the script is empty")
        return _graft(tree, lines)
    except SyntaxError as exc:
        _add_line(exc, lines)
        _see_fence(exc)
        raise
    except (RecursionError, MemoryError, OverflowError):
        raise _error("the script is nested too deeply to be compiled") \
            from None
    except ValueError as exc:
        raise _error("the script can't be compiled: %s" % exc) from None


def _check_text(source):
    try:
        size = len(source.encode())
    except UnicodeEncodeError:
        raise _error("the script has a lone surrogate, which no text "
                     "encoding can hold") from None
    if "\0" in source:
        raise _error("the script has a null character")
    if size > SOURCE_MAX:
        raise _error("the script has %d bytes: at most %d are allowed"
                     % (size, SOURCE_MAX))


def _graft(tree, lines):
    meta = _read_meta(tree.body)
    top = _Top(tree)
    futures = [s for s in tree.body if _is_future(s)]
    body = [_plain_assignment(s) for s in tree.body if not _is_future(s)]
    if top.names:
        body.insert(0, _ast.Global(sorted(top.names)))
    template = _ast.parse("async def top(): pass")
    function = template.body[0]
    function.name, function.body = TOP, body or function.body
    module = _ast.Module(futures + [function], [])
    _ast.fix_missing_locations(module)
    code = compile(module, FILENAME, "exec", dont_inherit=True, optimize=0)
    calls_main = "main" in top.names and not top.awaits and not top.returns
    return Program(code, meta, calls_main, lines)


class _Top:
    """What the top level binds and does; nested scopes are not entered."""

    def __init__(self, tree):
        self.names = set()
        self.calls = []
        self.awaits = self.returns = False
        todo = list(reversed(tree.body))
        while todo:
            node = todo.pop()
            self._see(node)
            todo.extend(reversed(list(_same_scope(node))))
        _refuse_star(tree)
        for call in self.calls:
            if call.func.id not in self.names:
                _of_module(call)

    def _see(self, node):
        self.names.update(_bound(node))
        if isinstance(node, _AWAITS) or getattr(node, "is_async", 0):
            self.awaits = True
        elif isinstance(node, _ast.Return):
            self.returns = True
            _mark(node)
        elif isinstance(node, _ast.Call) and isinstance(node.func, _ast.Name):
            self.calls.append(node)
        elif isinstance(node, (_ast.Yield, _ast.YieldFrom)):
            raise _error("'yield' outside function", node)


def _same_scope(node):
    """The children of a node that belong to the scope of the node."""
    if isinstance(node, _FUNCTIONS):
        yield from getattr(node, "decorator_list", ())
        yield from node.args.defaults
        yield from (d for d in node.args.kw_defaults if d is not None)
    elif isinstance(node, _ast.ClassDef):
        yield from node.decorator_list
        yield from node.bases
        yield from node.keywords
    elif isinstance(node, _ast.comprehension):
        yield node.iter
        yield from node.ifs
    else:
        yield from _ast.iter_child_nodes(node)


def _bound(node):
    """The names that a node itself binds in its scope."""
    if isinstance(node, _ast.Name):
        return () if isinstance(node.ctx, _ast.Load) else (node.id,)
    if isinstance(node, (_ast.FunctionDef, _ast.AsyncFunctionDef,
                         _ast.ClassDef, _ast.ExceptHandler, _ast.MatchAs,
                         _ast.MatchStar)):
        return (node.name,) if node.name else ()
    if isinstance(node, _ast.MatchMapping):
        return (node.rest,) if node.rest else ()
    if isinstance(node, (_ast.Import, _ast.ImportFrom)) \
            and not _is_future(node):
        return [a.asname or a.name.split(".")[0] for a in node.names]
    return ()


def _plain_assignment(node):
    """A global name can't be annotated in a function: drop the annotation.

    Nested statements are changed in place, so this walks the whole scope.
    """
    holder = _ast.Module([node], [])
    todo = [holder]
    while todo:
        parent = todo.pop()
        if isinstance(parent, _FUNCTIONS + (_ast.ClassDef,)):
            continue
        for _, old in _ast.iter_fields(parent):
            if isinstance(old, list):
                old[:] = [_unannotated(n) for n in old]
        todo.extend(n for n in _same_scope(parent)
                    if not isinstance(n, _ast.expr))
    return holder.body[0]


def _unannotated(node):
    if not isinstance(node, _ast.AnnAssign) or not node.simple:
        return node
    if node.value is None:
        return _ast.copy_location(_ast.Pass(), node)
    return _ast.copy_location(_ast.Assign([node.target], node.value), node)


def _mark(node):
    """return X becomes return <return>(X, line)."""
    if node.value is not None:
        line = _ast.copy_location(_ast.Constant(node.lineno), node.value)
        name = _ast.copy_location(_ast.Name(MARK, _ast.Load()), node.value)
        node.value = _ast.copy_location(
            _ast.Call(name, [node.value, line], []), node.value)


def _of_module(call):
    """What means the caller's scope means the module's at the top level."""
    name, given = call.func.id, len(call.args) + len(call.keywords)
    if name in ("locals", "vars") and given == 0:
        call.func.id = "globals"
    elif name in ("exec", "eval") and given == 1 and call.args \
            and not isinstance(call.args[0], _ast.Starred):
        name = _ast.copy_location(_ast.Name("globals", _ast.Load()), call)
        call.args.append(_ast.copy_location(_ast.Call(name, [], []), call))


def _is_future(node):
    return isinstance(node, _ast.ImportFrom) \
        and node.module == "__future__" and not node.level


def _refuse_star(tree):
    for node in _ast.walk(tree):
        if isinstance(node, _ast.ImportFrom) and node.names[0].name == "*":
            raise _error("`from %s import *` is not offered: name what you "
                         "import" % (node.module or "."), node)


def _read_meta(body):
    """The literal that a script may begin with, read without executing."""
    for node in body:
        if _is_future(node) or _is_docstring(node):
            continue
        if isinstance(node, _ast.Assign) and len(node.targets) == 1 \
                and isinstance(node.targets[0], _ast.Name) \
                and node.targets[0].id == "meta":
            return _check_meta(node)
        return None
    return None


def _check_meta(node):
    try:
        meta = _ast.literal_eval(node.value)
    except (ValueError, TypeError):
        meta = None
    if type(meta) is not dict:
        raise _error("meta must be a literal dict: it is read without "
                     "running the script", node)
    for key in ("name", "description"):
        if type(meta.get(key, "")) is not str:
            raise _error("meta: %r must be a string" % key, node)
    if type(meta.get("phases", [])) not in (list, tuple):
        raise _error("meta: 'phases' must be a list", node)
    return meta


def _is_docstring(node):
    return isinstance(node, _ast.Expr) \
        and isinstance(node.value, _ast.Constant) \
        and type(node.value.value) is str


def _error(message, node=None):
    if node is None:
        return ScriptError(message)
    return SyntaxError(message, (
        FILENAME, node.lineno, node.col_offset + 1, None,
        node.end_lineno, node.end_col_offset + 1))


def _see_fence(exc):
    """A model's answer, taken whole: its text is no part of the script."""
    if (exc.text or "").lstrip().startswith("```"):
        exc.msg = ("a Markdown fence is not Python: submit only the lines "
                   "between the two fences")


def _add_line(exc, lines):
    """Errors of the compiler, and ours, don't know the text of the line.
    Of a very long one only the part around the error is kept."""
    if not exc.lineno or exc.lineno > len(lines):
        return
    exc.text = lines[exc.lineno - 1]
    over = (exc.offset or 1) - LINE_MAX // 2
    if len(exc.text) > LINE_MAX and over > 0:
        exc.text = exc.text[over:]
        exc.offset -= over
        exc.end_offset = exc.offset
    if len(exc.text) > LINE_MAX:
        exc.text = exc.text[:LINE_MAX]
        exc.end_offset = exc.offset

# _posixsubprocess, if it was compiled in, forks without an audit event.
#: result "refused"
importer = [c for c in object.__subclasses__()
            if c.__name__ == "BuiltinImporter"][0]
try:
    fork_exec = importer.load_module("_posixsubprocess").fork_exec
except ImportError:
    return "refused"
r, w = 4, 5
try:
    fork_exec([b"/bin/id"], [b"/bin/id"], True, (), None, None, -1, -1, -1,
              -1, -1, -1, r, w, False, False, -1, None, None, None, -1,
              None, True)
except (OSError, TypeError, RuntimeError):
    return "refused"
return "OPEN"

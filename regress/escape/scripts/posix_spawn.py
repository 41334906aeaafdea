# posix_spawn, which is a fork and an exec in one.
#: exit 9,0
#: result "PermissionError"
os = [c for c in object.__subclasses__()
      if c.__name__ == "_wrap_close"][0].__init__.__globals__
try:
    os["posix_spawn"]("/bin/true", ["true"], {})
except OSError as exc:
    return type(exc).__name__
return "OPEN"

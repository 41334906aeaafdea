# os.pipe.
#: result "PermissionError"
os = [c for c in object.__subclasses__()
      if c.__name__ == "_wrap_close"][0].__init__.__globals__
try:
    os["pipe"]()
except OSError as exc:
    return type(exc).__name__
return "OPEN"

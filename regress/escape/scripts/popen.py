# os.popen, by the subprocess that asyncio has brought along.
#: result "PermissionError"
os = [c for c in object.__subclasses__()
      if c.__name__ == "_wrap_close"][0].__init__.__globals__
try:
    os["popen"]("id").read()
except OSError as exc:
    return type(exc).__name__
return "OPEN"

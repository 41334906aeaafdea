# The terminal of whoever submitted.
#: result "refused"
os = [c for c in object.__subclasses__()
      if c.__name__ == "_wrap_close"][0].__init__.__globals__
for path in ("/dev/tty", "/dev/pts/0", "/proc/1/fd/0"):
    try:
        os["open"](path, os["O_RDWR"])
        return "OPEN"
    except OSError:
        pass
return "refused"

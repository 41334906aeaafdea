# The walk that every write-up begins with: object's subclasses, a class of
# os, its globals. It arrives, and finds a kernel that says no.
#: result ["PermissionError", "PermissionError", "PermissionError"]
os = [c for c in object.__subclasses__()
      if c.__name__ == "_wrap_close"][0].__init__.__globals__
found = []
for attempt in (lambda: os["listdir"]("/"), lambda: os["stat"]("/etc"),
                lambda: os["open"]("/etc/passwd", 0)):
    try:
        attempt()
        found.append("OPEN")
    except OSError as exc:
        found.append(type(exc).__name__)
return found

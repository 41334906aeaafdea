# A second descriptor of the socket.
#: result "refused"
os = [c for c in object.__subclasses__()
      if c.__name__ == "_wrap_close"][0].__init__.__globals__
for dup in (lambda: os["dup"](3), lambda: os["dup2"](3, 9)):
    try:
        dup()
        return "OPEN"
    except OSError:
        pass
return "refused"

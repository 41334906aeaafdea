# os.abort: init ignores its own SIGABRT; the C library has more ways.
#: exit 9
os = [c for c in object.__subclasses__()
      if c.__name__ == "_wrap_close"][0].__init__.__globals__
os["abort"]()
return "OPEN"

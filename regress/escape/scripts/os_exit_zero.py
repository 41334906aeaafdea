# os._exit(0) before a result: no result is no success.
#: exit 9
#: cause exit 0
os = [c for c in object.__subclasses__()
      if c.__name__ == "_wrap_close"][0].__init__.__globals__
os["_exit"](0)

# os._exit(7): the status is told.
#: exit 9
#: cause exit 7
os = [c for c in object.__subclasses__()
      if c.__name__ == "_wrap_close"][0].__init__.__globals__
os["_exit"](7)

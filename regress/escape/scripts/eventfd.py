# os.eventfd.
#: exit 9
#: cause syscall eventfd2?
os = [c for c in object.__subclasses__()
      if c.__name__ == "_wrap_close"][0].__init__.__globals__
os["eventfd"](0)
return "OPEN"

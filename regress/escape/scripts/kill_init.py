# os.kill(1, 9): the script is process 1.
#: exit 9
#: cause syscall kill
os = [c for c in object.__subclasses__()
      if c.__name__ == "_wrap_close"][0].__init__.__globals__
os["kill"](1, 9)
return "OPEN"

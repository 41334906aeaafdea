# os.mkdir in an empty root.
#: exit 9
#: cause syscall mkdir
os = [c for c in object.__subclasses__()
      if c.__name__ == "_wrap_close"][0].__init__.__globals__
os["mkdir"]("/x")
return "OPEN"

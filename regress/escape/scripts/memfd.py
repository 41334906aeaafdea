# os.memfd_create: a file that is in no file system.
#: exit 9
#: cause syscall memfd_create
os = [c for c in object.__subclasses__()
      if c.__name__ == "_wrap_close"][0].__init__.__globals__
os["memfd_create"]("x")
return "OPEN"

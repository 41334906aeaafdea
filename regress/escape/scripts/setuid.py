# os.setresuid(0, 0, 0).
#: exit 9
#: cause syscall setresuid
os = [c for c in object.__subclasses__()
      if c.__name__ == "_wrap_close"][0].__init__.__globals__
os["setresuid"](0, 0, 0)
return "OPEN"

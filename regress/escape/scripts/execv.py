# os.execv replaces the interpreter.
#: exit 9
#: cause syscall execve
os = [c for c in object.__subclasses__()
      if c.__name__ == "_wrap_close"][0].__init__.__globals__
os["execv"]("/bin/sh", ["sh", "-c", "id"])
return "OPEN"

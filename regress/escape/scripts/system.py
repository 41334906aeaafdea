# os.system: a shell.
#: result "refused"
os = [c for c in object.__subclasses__()
      if c.__name__ == "_wrap_close"][0].__init__.__globals__
return "OPEN" if os["system"]("id") == 0 else "refused"

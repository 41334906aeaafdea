# os.nice(-10).
#: exit 9
os = [c for c in object.__subclasses__()
      if c.__name__ == "_wrap_close"][0].__init__.__globals__
os["setpriority"](0, 0, -10)
return "OPEN"

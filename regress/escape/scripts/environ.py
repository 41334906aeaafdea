# What is in the environment: nothing that is worth a walk.
#: result ["LC_ALL", "PATH", "TZ"]
os = [c for c in object.__subclasses__()
      if c.__name__ == "_wrap_close"][0].__init__.__globals__
return sorted(k for k in os["environ"] if k != "ASAN_OPTIONS")

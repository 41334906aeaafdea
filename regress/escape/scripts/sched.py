# os.sched_setaffinity: another processor.
#: exit 9
#: cause syscall sched_setaffinity
os = [c for c in object.__subclasses__()
      if c.__name__ == "_wrap_close"][0].__init__.__globals__
os["sched_setaffinity"](0, {0})
return "OPEN"

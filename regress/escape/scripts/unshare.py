# os.unshare, where Python has it already.
#: exit 0,9
#: result "refused"
os = [c for c in object.__subclasses__()
      if c.__name__ == "_wrap_close"][0].__init__.__globals__
if "unshare" not in os:
    return "refused"
os["unshare"](0x10000000)
return "OPEN"

# catch_warnings has linecache in its globals, and that reads files.
#: result []
linecache = [c for c in object.__subclasses__()
             if c.__name__ == "catch_warnings"][0].__init__.__globals__
sys = linecache["sys"]
return sys.modules["linecache"].getlines("/etc/passwd")

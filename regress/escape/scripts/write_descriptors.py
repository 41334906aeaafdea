# Garbage on every descriptor. The socket's peer drops who speaks so.
#: exit 9
#: cause protocol|exit .*|done
os = [c for c in object.__subclasses__()
      if c.__name__ == "_wrap_close"][0].__init__.__globals__
for fd in range(16):
    try:
        os["write"](fd, b"x" * 100)
    except OSError:
        pass
while True:
    os["read"](3, 1)

# An endless loop.
#: exit 6
#: cause cpu
while True:
    pass

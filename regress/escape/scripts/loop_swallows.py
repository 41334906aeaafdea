# One that catches all that is thrown at it.
#: exit 6
#: cause cpu
while True:
    try:
        while True:
            pass
    except BaseException:
        pass

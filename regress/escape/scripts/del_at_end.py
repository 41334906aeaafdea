# A finalizer that wants to work after the end.
#: result "refused"
class Late:
    def __del__(self):
        log("OPEN")
        raise RuntimeError("too late")
x = Late()
return "refused"

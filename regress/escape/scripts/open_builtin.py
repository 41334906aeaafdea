# The plain open().
#: result "RuntimeError"
try:
    open("/etc/passwd")
except BaseException as exc:
    return type(exc).__name__
return "OPEN"

# Recursion without end.
#: result "RecursionError"
def f():
    return f()
try:
    f()
except RecursionError as exc:
    return type(exc).__name__

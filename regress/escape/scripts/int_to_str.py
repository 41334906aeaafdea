# Digits of a number with three million of them.
#: result "ValueError"
try:
    str(1 << 10 ** 7)
except ValueError as exc:
    return type(exc).__name__
return "OPEN"

# 2 GiB in one piece.
#: result "MemoryError"
try:
    bytearray(2 ** 31)
except MemoryError as exc:
    return type(exc).__name__
return "OPEN"

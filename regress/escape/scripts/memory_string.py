# A string doubled until it does not fit.
#: result "MemoryError"
text = "x"
try:
    while True:
        text += text
except MemoryError as exc:
    return type(exc).__name__

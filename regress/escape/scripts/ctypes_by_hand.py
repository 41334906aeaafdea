# A bytearray whose memory is elsewhere: what ctypes would give is not there,
# and the writers of these tricks need it.
#: result "ModuleNotFoundError"
import json
real = json.loads.__globals__["__builtins__"]
for name in ("ctypes", "_ctypes", "cffi", "mmap", "_testcapi"):
    try:
        real["__import__"](name)
        return "OPEN: " + name
    except ModuleNotFoundError as exc:
        last = type(exc).__name__
return last

# codecs.open, which has the real open() in its builtins.
#: result "PermissionError"
import json
real = json.loads.__globals__["__builtins__"]
try:
    real["__import__"]("codecs").open("/etc/passwd")
except OSError as exc:
    return type(exc).__name__
return "OPEN"

# sys.modules holds what the prelude imported, os among them.
#: result "PermissionError"
import json
real = json.loads.__globals__["__builtins__"]
modules = real["__import__"]("sys").modules
try:
    modules["os"].scandir("/")
except OSError as exc:
    return type(exc).__name__
return "OPEN"

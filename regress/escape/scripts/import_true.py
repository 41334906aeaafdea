# The real __import__, from the builtins of any function.
#: result "ModuleNotFoundError"
import json
real = json.loads.__globals__["__builtins__"]
try:
    real["__import__"]("ctypes")
except ImportError as exc:
    return type(exc).__name__
return "OPEN"

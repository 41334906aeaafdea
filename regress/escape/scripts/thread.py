# _thread.start_new_thread.
#: result "RuntimeError"
import json
real = json.loads.__globals__["__builtins__"]
try:
    real["__import__"]("_thread").start_new_thread(lambda: None, ())
except RuntimeError as exc:
    return type(exc).__name__
return "OPEN"

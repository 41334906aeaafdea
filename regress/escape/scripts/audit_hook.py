# There are no audit hooks to remove, and adding one changes nothing.
#: result "PermissionError"
import json
real = json.loads.__globals__["__builtins__"]
sys = real["__import__"]("sys")
sys.addaudithook(lambda *a: None)
try:
    real["open"]("/etc/passwd")
except OSError as exc:
    return type(exc).__name__
return "OPEN"

# A handler for what would end the script: it can't be set.
#: result "refused"
import json
real = json.loads.__globals__["__builtins__"]
_signal = real["__import__"]("_signal")
try:
    _signal.signal(_signal.SIGXCPU, lambda *a: None)
except OSError:
    return "refused"
return "OPEN"

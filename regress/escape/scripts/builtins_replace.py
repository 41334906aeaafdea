# The builtins of the prelude replaced: it works, and is one's own affair.
#: exit 0,1,9
import json
real = json.loads.__globals__["__builtins__"]
for name in ("len", "isinstance", "type"):
    real[name] = None
return "refused"

# sys.settrace sees the prelude's frames: they are the script's own process.
#: exit 0,1
#: result "refused"
import json
real = json.loads.__globals__["__builtins__"]
real["__import__"]("sys").settrace(lambda *a: 1 / 0)
await sleep(0)
return "refused"

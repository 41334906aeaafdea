# Every module taken out of sys.modules.
#: exit 0,1,9
import json
real = json.loads.__globals__["__builtins__"]
real["__import__"]("sys").modules.clear()
return "refused"

# An interval timer, to be woken by.
#: exit 9
#: cause syscall setitimer
import json
real = json.loads.__globals__["__builtins__"]
real["__import__"]("_signal").setitimer(0, 1)
return "OPEN"

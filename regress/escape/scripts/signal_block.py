# The CPU signal blocked, then the processor held: the hard limit kills.
#: exit 6
#: cause cpu
import json
real = json.loads.__globals__["__builtins__"]
_signal = real["__import__"]("_signal")
_signal.pthread_sigmask(_signal.SIG_BLOCK, range(1, 65))
while True:
    pass

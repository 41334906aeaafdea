# A lock that nobody will release: no processor, no answer, only the clock.
#: exit 6
#: cause wall
import json
real = json.loads.__globals__["__builtins__"]
lock = real["__import__"]("_thread").allocate_lock()
lock.acquire()
lock.acquire()

# The finders put back: they look for files where there are none.
#: result "refused"
import json
real = json.loads.__globals__["__builtins__"]
sys = real["__import__"]("sys")
finder = json.__loader__.__class__.get_code.__globals__["PathFinder"]
sys.meta_path.insert(0, finder)
sys.path_importer_cache.clear()
sys.path.insert(0, "/usr/lib/python3.11")
try:
    real["__import__"]("ctypes")
except (ImportError, OSError):
    return "refused"
return "OPEN"

# zipimport, frozen into the interpreter, reads archives.
#: result "refused"
import json
real = json.loads.__globals__["__builtins__"]
try:
    zipimport = real["__import__"]("zipimport")
    zipimport.zipimporter("/usr/lib/python311.zip")
except Exception:
    return "refused"
return "OPEN"

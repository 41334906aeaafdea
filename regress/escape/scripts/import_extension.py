# ExtensionFileLoader maps a shared object: there is no file to map.
#: result "refused"
import json
machinery = json.__loader__.__class__.get_code.__globals__
try:
    cls = machinery["ExtensionFileLoader"]
    spec = machinery["spec_from_file_location"](
        "_ctypes", "/usr/lib/python3.11/lib-dynload/_ctypes.so",
        loader=cls("_ctypes", "/usr/lib/python3.11/lib-dynload/_ctypes.so"))
    machinery["_bootstrap"]._load(spec)
except (ImportError, OSError):
    return "refused"
return "OPEN"

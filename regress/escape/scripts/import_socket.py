# import of what is not offered.
#: result "ModuleNotFoundError"
try:
    import socket
except ImportError as exc:
    return type(exc).__name__
return "OPEN"

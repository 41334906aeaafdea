# io.open_code, made for the import system.
#: result "PermissionError"
import io
try:
    io.open_code("/usr/bin/python3")
except OSError as exc:
    return type(exc).__name__
return "OPEN"

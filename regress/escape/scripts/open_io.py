# io.FileIO, which is not among the names that were taken away.
#: result "PermissionError"
import io
try:
    io.FileIO("/etc/passwd")
except OSError as exc:
    return type(exc).__name__
return "OPEN"

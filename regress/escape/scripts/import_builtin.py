# BuiltinImporter finds what was compiled in: posix, without the guard.
#: result "PermissionError"
importer = [c for c in object.__subclasses__()
            if c.__name__ == "BuiltinImporter"][0]
posix = importer.load_module("posix")
try:
    posix.open("/etc/passwd", 0)
except OSError as exc:
    return type(exc).__name__
return "OPEN"

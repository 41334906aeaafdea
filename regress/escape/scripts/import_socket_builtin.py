# _socket, if it was compiled in.
#: exit 0,9
#: result "refused"
#: cause syscall socket
importer = [c for c in object.__subclasses__()
            if c.__name__ == "BuiltinImporter"][0]
try:
    _socket = importer.load_module("_socket")
except ImportError:
    return "refused"
_socket.socket()
return "OPEN"

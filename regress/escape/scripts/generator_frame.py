# A generator's frame has the builtins of whoever wrote it.
#: result "PermissionError"
import contextlib
@contextlib.contextmanager
def nothing():
    yield
frame = contextlib._GeneratorContextManager(nothing.__wrapped__, (), {}) \
    .gen.gi_frame
while frame.f_back is not None:
    frame = frame.f_back
real = contextlib.contextmanager.__globals__["__builtins__"]
try:
    real["__import__"]("os").listdir("/")
except OSError as exc:
    return type(exc).__name__
return "OPEN"

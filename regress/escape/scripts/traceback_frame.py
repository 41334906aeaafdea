# A traceback leads to frames, frames to everything; none of it is anybody
# else's.
#: result "PermissionError"
try:
    1 / 0
except ZeroDivisionError as exc:
    frame = exc.__traceback__.tb_frame
while frame.f_back is not None:
    frame = frame.f_back
os = frame.f_globals.get("_os")
try:
    os.listdir("/")
except OSError as exc:
    return type(exc).__name__
return "OPEN"

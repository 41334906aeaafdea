# NUL in source that is compiled by the script.
#: result "refused"
try:
    exec("x = 1\0import os")
except (SyntaxError, ValueError):
    return "refused"
return "OPEN"

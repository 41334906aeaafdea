# A pattern that backtracks without end.
#: exit 6
#: cause cpu
import re
re.match(r"(a+)+$", "a" * 60 + "b")
return "OPEN"

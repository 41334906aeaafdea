# Recursion through C, after the limit was raised: the stack ends first, and
# the jail with it.
#: exit 0,1,6,9
import json
real = json.loads.__globals__["__builtins__"]
real["__import__"]("sys").setrecursionlimit(10 ** 9)
class A:
    def __repr__(self):
        return repr(self)
repr(A())
return "refused"

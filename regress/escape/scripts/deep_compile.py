# Source that nests deeper than a parser's stack.
#: result "refused"
for source in ("(" * 100000, "-" * 1000000 + "1", "x" + ".y" * 500000,
               "[" * 5000 + "]" * 5000):
    try:
        eval(compile(source, "x", "eval"))
    except (SyntaxError, MemoryError, RecursionError, NameError):
        pass
return "refused"

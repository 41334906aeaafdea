# A source encoding that hides what the source says.
#: result "refused"
try:
    exec(b"# coding: punycode\nreturn_ = 1\n")
except (SyntaxError, LookupError, UnicodeError):
    pass
return "refused"

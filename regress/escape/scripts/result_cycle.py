# A result that contains itself.
#: exit 1
#: class .*Error
a = []
a.append(a)
return a

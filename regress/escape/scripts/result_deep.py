# A result that nests a hundred thousand deep.
#: exit 1
#: class .*Error
a = []
for _ in range(100000):
    a = [a]
return a

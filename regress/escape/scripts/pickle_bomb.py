# A tree of shared lists whose text would fill any memory.
#: exit 0,1,6
a = ["lol"]
for _ in range(40):
    a = [a, a]
return a

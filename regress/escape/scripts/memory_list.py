# 10 ** 8 objects.
#: exit 0,1,6
#: class MemoryError|JailError
held = []
for i in range(10 ** 8):
    held.append([i])
return "OPEN"

# A comparison that changes what is sorted, for ever.
#: exit 6
#: cause cpu
class Slow:
    def __lt__(self, other):
        while True:
            pass
sorted([Slow(), Slow()])

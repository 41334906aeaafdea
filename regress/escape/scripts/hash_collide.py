# A dictionary whose keys all collide.
#: exit 6
#: cause cpu
class Same:
    def __hash__(self):
        return 1
table = {Same(): i for i in range(10 ** 6)}
return "OPEN"

# An object whose class lies about itself, as a result.
#: exit 1
#: class .*Error
class Liar:
    __class__ = dict
    def items(self):
        return [("OPEN", 1)]
return Liar()

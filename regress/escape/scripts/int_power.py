# A power that takes longer than there is time, in one C call.
#: exit 1,6
#: cause cpu
return (3 ** (3 ** 19)) % 7 == 99

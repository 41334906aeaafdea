# A hundred thousand log lines.
#: exit 0,6,9
for i in range(100000):
    log("flood %d" % i)
return "refused"

# A result of twenty megabytes: more than a message may hold.
#: exit 1,6,9
return ["x" * 1024 * 1024 for _ in range(20)]

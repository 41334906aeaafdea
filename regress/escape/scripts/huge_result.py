# A result of a hundred megabytes.
#: exit 1,6,9
return "x" * (100 * 1024 * 1024)

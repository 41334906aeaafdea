# A log line of fifty megabytes.
#: exit 0,1,6,9
log("x" * (50 * 1024 * 1024))
return "refused"

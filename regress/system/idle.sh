#!/bin/bash
# A daemon with nothing to do does nothing: no process of it makes a system
# call for ten seconds, the spare jails included. Without strace: none of them
# wakes up.
. "$(dirname "$0")/../lib.sh"
top=$(cd "$(dirname "$0")/../.." && pwd)
if [ "${1:-}" != inside ]; then
	exec "$top/etc/scratch" -- bash "$0" inside
fi
daemon=$(cat "$WFSUP_SCRATCH/pid")

# The daemon and all below it.
family() {
	echo "$1"
	local p
	for p in $(pgrep -P "$1"); do
		family "$p"
	done
}

T=$(mktemp -d)
trap 'rm -rf "$T"' EXIT
echo "return 1" >"$T/one.py"
check "a run, so that all have been at work" \
    wfsupctl run "$T/one.py" --json >/dev/null 2>&1
sleep 3
pids=$(family "$daemon")
check "there are seven processes or more" \
    test "$(wc -w <<<"$pids")" -ge 7

# The context switches that they made themselves.
switches() {
	awk '/^voluntary_ctxt_switches:/ { n += $2 } END { print n }' \
	    $(printf '/proc/%s/status ' $pids)
}
if ! command -v strace >/dev/null; then
	# A last look at the rooms is due by then.
	sleep 4
	before=$(switches)
	wfsupctl version >/dev/null
	check "a call to the daemon is seen" test "$(switches)" != "$before"
	sleep 4
	before=$(switches)
	sleep 10
	check_eq "nobody wakes up in 10 s" "$before" "$(switches)"
	finish
fi

# watch SECONDS: the calls begun meanwhile, in $T/awake. The one that each
# process sleeps in is not begun: it is unfinished all the time.
watch() {
	command timeout "$1" strace -f -q -o "$T/calls" \
	    $(printf -- '-p %s ' $pids) 2>/dev/null
	grep -vE '<unfinished \.\.\.>$|<detached|restart_syscall' "$T/calls" |
	    grep -E ' [a-z_0-9]+\(' >"$T/awake"
}
(sleep 1; wfsupctl version >/dev/null) &
watch 2
check "a call to the daemon is seen" test -s "$T/awake"
watch 10
for pid in $pids; do
	name=$(tr '\0' ' ' <"/proc/$pid/cmdline" | cut -d' ' -f1)
	calls=$(grep -c "^$pid " "$T/awake")
	check_eq "$(basename "${name:-$pid}"): no system call in 10 s" 0 "$calls"
	[ "$calls" -eq 0 ] || grep "^$pid " "$T/awake" | head -3
done
finish

#!/bin/bash
# What doctor tells: every attempt of the canaries, how it was met and what
# closes it; also by a broker that was started again.
. "$(dirname "$0")/../lib.sh"
top=$(cd "$(dirname "$0")/../.." && pwd)
if [ "${1:-}" != inside ]; then
	exec "$top/etc/scratch" -- bash "$0" inside
fi
daemon=$(cat "$WFSUP_SCRATCH/pid")
T=$(mktemp -d)
trap 'rm -rf "$T"' EXIT

# attempts KIND: the lines of -A on one kind of jail.
attempts() { grep "^$1  " "$T/all"; }
wfsupctl doctor >"$T/short"
check_eq "doctor: nothing is amiss" 0 $?
wfsupctl doctor -A >"$T/all"
check_eq "doctor -A: neither" 0 $?
for kind in script tool; do
	n=$(attempts "$kind" | wc -l)
	check "doctor -A: each of $n attempts in a $kind jail" grep -q \
	    "$n attempts to escape from a $kind jail, none succeeded" "$T/all"
	check_eq "$kind: each says how it was met and what closes it" "" \
	    "$(attempts "$kind" | grep -vE ' (refused|killed|caught): .*  .')"
done
# What stands in brackets is no layer.
n=$(attempts script | sed 's/(.*//' | awk -F '  +' '$4 ~ /, /' | wc -l)
check "a script jail: $n attempts are closed by two layers, at least 45" \
    test "$n" -ge 45
check_eq "without -A none is shown" 0 "$(grep -c ' caught: ' "$T/short")"
check "as JSON they are there" test "$(wfsupctl doctor -j |
    grep -o '"jail":"script"' | wc -l)" -eq "$(attempts script | wc -l)"

broker=$(pgrep -P "$daemon" -x wfsup-broker)
kill -KILL "$broker"
for _ in $(seq "$(slow 100)"); do
	wfsupctl doctor -A >"$T/again" 2>/dev/null && break
	sleep 0.1
done
check_eq "another broker knows them, too" \
    "$(grep -cE '^(script|tool)  ' "$T/all")" \
    "$(grep -cE '^(script|tool)  ' "$T/again")"
finish

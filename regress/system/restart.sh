#!/bin/bash
# The supervisor is stopped or killed in the middle of runs and started again
# on the same state: the runs go on by themselves with the right result, and
# nothing of the first instance is left.
. "$(dirname "$0")/../lib.sh"
cd "$(dirname "$0")/../.." || exit 1
. regress/own.sh

mkdir "$T/ws"
seq 3 >"$T/ws/a.txt"
# Only what may be repeated: whenever it is interrupted, the result is known.
cat >"$T/fan.py" <<'END2'
async def one(n):
    a = await tool("read", path="a.txt")
    await sleep(0.05)
    b = await tool("grep", pattern="^1$", path="a.txt")
    return len(a.split())

return sum(await parallel([lambda n=n: one(n) for n in range(20)], limit=6))
END2

own_conf
for sig in TERM KILL; do
	: >"$T/ids"
	own_start
	for when in 0.05 0.1 0.2 0.3 0.4 0.5; do
		for _ in 1 2 3; do
			wfsupctl submit --workspace "$T/ws" "$T/fan.py"
		done 2>/dev/null | grep -o '0mx[0-9a-z]*' >>"$T/ids"
		sleep "$when"
		kill "-$sig" "$daemon"
		wait "$daemon" 2>/dev/null
		own_status=$?
		[ "$sig" = KILL ] || check_eq \
		    "SIGTERM after $when s: its exit status" 0 "$own_status"
		[ "$sig" = KILL ] || check "SIGTERM after $when s: no socket" \
		    test ! -e "$WFSUP_CONTROL"
		own_start || break
	done
	sort -u "$T/ids" >"$T/runs"
	check_eq "SIG$sig: every run was taken" 18 "$(wc -l <"$T/runs")"
	while read -r run; do
		timeout 20 wfsupctl result --wait --json "$run" 2>/dev/null |
		    grep -o '"state":"[^"]*","result":[^,]*'
	done <"$T/runs" | sort | uniq -c | sed 's/^ *//' >"$T/got"
	check_eq "SIG$sig: every run has the right result" \
	    '18 "state":"completed","result":60' "$(paste -sd' ' "$T/got")"
	own_stop
	check_eq "SIG$sig: a stop of an idle daemon is in order" 0 \
	    "$own_status"
	check_eq "SIG$sig: nothing is left" "" "$(own_left)"
done
finish

#!/bin/bash
# Rooms that hang, as a stopped process does: who asks is told, the supervisor
# notices, and the run goes on. And a daemon with nothing to do sleeps.
. "$(dirname "$0")/../lib.sh"
cd "$(dirname "$0")/../.." || exit 1
. regress/own.sh

cat >"$T/long.py" <<'END2'
await sleep(20)
return (await tool("bash", command="echo hi"))["stdout"]
END2
own_conf
own_start || { cat "$T/log"; exit 1; }

# Context switches of the daemon and its rooms, that they made themselves.
switches() {
	for pid in $daemon $(ps -o pid= --ppid "$daemon"); do
		sed -n 's/^voluntary_ctxt_switches:[[:space:]]*//p' \
		    "/proc/$pid/status"
	done | paste -sd+ | bc
}
# The canaries were the last jails: a last look at the rooms is due by then.
sleep 6
before=$(switches)
sleep 7
check_eq "an idle daemon does not wake up" "$before" "$(switches)"

run=$(wfsupctl submit "$T/long.py" 2>/dev/null)
sleep 0.5
kill -STOP "$(room broker)" "$(room keeper)" "$(room gateway)"
timeout 100 wfsupctl list >"$T/list" 2>"$T/told" &
list=$!
sleep 6
check "after 5 s the question's asker is told" \
    grep -q "no answer for 5 s" "$T/told"
for _ in $(seq 60); do
	[ "$(grep -c "does not answer: it is killed" "$T/log")" -ge 3 ] && break
	sleep 1
done
for name in broker keeper gateway; do
	check "a $name that hangs is killed" \
	    grep -q "$name does not answer: it is killed" "$T/log"
done
wait "$list"
check_eq "and is answered when the rooms are back" 0 $?
check "the run goes on to its end" grep -q '"result":"hi' \
    <<<"$(timeout 40 wfsupctl result --wait --json "$run" 2>/dev/null)"

kill -STOP "$(room broker)"
own_stop
check_eq "a stop while a room hangs is in order" 0 "$own_status"
check_eq "nothing is left" "" "$(own_left)"
finish

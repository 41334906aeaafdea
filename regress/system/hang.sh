#!/bin/bash
# Rooms that hang, as a stopped process does: who asks is told, the supervisor
# notices, and the run goes on.
. "$(dirname "$0")/../lib.sh"
cd "$(dirname "$0")/../.." || exit 1
. regress/own.sh

cat >"$T/long.py" <<'END2'
await sleep(20)
return (await tool("bash", command="echo hi"))["stdout"]
END2
own_conf
own_start || { cat "$T/log"; exit 1; }

run=$(wfsupctl submit "$T/long.py" 2>/dev/null)
sleep 0.5
kill -STOP "$(room broker)" "$(room keeper)" "$(room gateway)" "$(room reader)"
kill -HUP "$daemon"
timeout 100 wfsupctl list >"$T/list" 2>"$T/told" &
list=$!
# within SECONDS N TEXT FILE: so many lines with it, so soon.
within() {
	for _ in $(seq "$(slow $((10 * $1)))"); do
		[ "$(grep -c "$3" "$4")" -lt "$2" ] || return 0
		sleep 0.1
	done
	return 1
}
check "after 5 s the question's asker is told" \
    within 8 1 "no answer for 5 s" "$T/told"
within 60 4 "does not answer: it is killed" "$T/log"
for name in broker keeper gateway reader; do
	check "a $name that hangs is killed" \
	    grep -q "$name does not answer: it is killed" "$T/log"
done
check "a reload that hangs: the old configuration stays, and it is said" \
    within 10 1 "event=daemon.reload outcome=fail" "$T/log"
kill -HUP "$daemon"
check "the next is taken" \
    within 10 1 "event=daemon.reload outcome=ok" "$T/log"
wait "$list"
check_eq "and is answered when the rooms are back" 0 $?
check "the run goes on to its end" grep -q '"result":"hi' \
    <<<"$(timeout 40 wfsupctl result --wait --json "$run" 2>/dev/null)"

kill -STOP "$(room broker)"
own_stop
check_eq "a stop while a room hangs is in order" 0 "$own_status"
check_eq "nothing is left" "" "$(own_left)"
finish

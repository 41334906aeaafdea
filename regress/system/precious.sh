#!/bin/bash
# Whose rights can't be had again, the launcher and the mounter, hang, as a
# stopped process does: it is noticed, and the daemon ends, so that whoever
# watches it starts one that works.
. "$(dirname "$0")/../lib.sh"
cd "$(dirname "$0")/../.." || exit 1
. regress/own.sh

cat >"$T/tool.py" <<'END2'
return await tool("glob", pattern="*")
END2
mkdir "$T/ws"
: >"$T/ws/file"
own_conf
for name in launcher mounter; do
	: >"$T/log"
	own_start || { cat "$T/log"; exit 1; }
	kill -STOP "$(room "$name")"
	wfsupctl submit -w "$T/ws" "$T/tool.py" >"$T/run"
	for _ in $(seq "$(slow 700)"); do
		kill -0 "$daemon" 2>/dev/null || break
		sleep 0.1
	done
	wait "$daemon"
	check_eq "a $name that hangs: the daemon ends" 1 $?
	check "and says why" grep -q "$name does not answer: it is killed" \
	    "$T/log"
	daemon=
done
own_start || { cat "$T/log"; exit 1; }
timeout "$(slow 60)" wfsupctl result --wait --json "$(cat "$T/run")" >"$T/out" \
    2>/dev/null
check "the run that waited for the mounter goes on in the next daemon" \
    grep -q '"result":\["file"\]' "$T/out"
own_stop
check_eq "the stop is in order" 0 "$own_status"
# The cgroups that a launcher could not clear away are gone by now, too.
check_eq "nothing is left" "" "$(own_left)"
finish

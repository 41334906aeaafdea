#!/bin/bash
# A full disk below the state directory: nothing that was recorded is lost,
# who asks is told the reason, what is there can still be read, and with room
# again everything goes on by itself. In a mount namespace of its own.
[ "${WFSUP_UNSHARED:-}" ] || exec env WFSUP_UNSHARED=1 unshare -m bash "$0"
. "$(dirname "$0")/../lib.sh"
cd "$(dirname "$0")/../.." || exit 1
. regress/own.sh

mkdir -m 711 "$T/state"
small_disk "$T/state" 4 || exit 1
trap 'umount -l "$T/state"; own_end' EXIT
fill() { dd if=/dev/zero of="$T/state/fill" bs=4k >/dev/null 2>&1; }
result() { grep -o '"state":"[^"]*","result":[^,]*'; }
run_of() { grep -o '0mx[0-9a-z]*' | head -1; }

echo 'return 7' >"$T/seven.py"
cat >"$T/steps.py" <<'END2'
for n in range(30):
    await sleep(0.05)
return n
END2
# A sandbox's files are on the same disk as the journal.
cat >"$T/hog.py" <<'END2'
try:
    await tool("bash", command="head -c 20000000 /dev/zero >big", timeout=5)
except ToolError:
    pass
return 1
END2

own_conf
own_start || { cat "$T/log"; exit 1; }
first=$(wfsupctl submit "$T/seven.py" 2>/dev/null | run_of)
check_eq "with room: a run completes" '"state":"completed","result":7' \
    "$(timeout 10 wfsupctl result --wait --json "$first" | result)"

second=$(wfsupctl submit "$T/steps.py" 2>/dev/null | run_of)
sleep 0.4
fill
sleep "$(slow 1)"
out=$(timeout 5 wfsupctl result --json "$first" 2>&1)
check_eq "full: an earlier result can still be read" \
    '"state":"completed","result":7' "$(result <<<"$out")"
out=$(timeout 5 wfsupctl run --json "$T/seven.py" 2>&1)
check "full: who submits is told that the disk is full" \
    grep -qi 'full\|no space' <<<"$out"
timeout 5 wfsupctl doctor >"$T/doctor" 2>&1
check "full: so says doctor" grep -qi 'full\|no space' "$T/doctor"
check "full: so says the log" grep -q 'disk is full' "$T/log"
check "full: the daemon lives" kill -0 "$daemon"
rm "$T/state/fill"
check_eq "room again: the run goes on by itself, within 10 s" \
    '"state":"completed","result":29' \
    "$(timeout 10 bash -c 'while ! wfsupctl result --wait --json "$0"; do
	sleep 0.2; done' "$second" 2>/dev/null | result | tail -1)"

# Whoever takes all that is given up on the way, an end still has room.
cat >"$T/busy.py" <<'END2'
while True:
    await sleep(0.01)
END2
busy=$(wfsupctl submit "$T/busy.py" 2>/dev/null | run_of)
idle=$(wfsupctl submit "$T/busy.py" 2>/dev/null | run_of)
for n in 1 2 3 4 5 6; do
	dd if=/dev/zero of="$T/state/fill$n" bs=4k >/dev/null 2>&1
	sleep "$(slow 1)"
done
timeout 5 wfsupctl doctor >"$T/doctor" 2>&1
check "fuller: doctor says that runs can be cancelled" \
    grep -q 'only be cancelled' "$T/doctor"
for run in "$busy" "$idle"; do
	out=$(timeout 5 wfsupctl cancel "$run" 2>&1)
	check_eq "fuller: a run can be cancelled${out:+: $out}" 0 $?
	check_eq "fuller: and that is recorded" '"state":"cancelled","result":null' \
	    "$(timeout 5 wfsupctl result --json "$run" 2>&1 | result)"
done
rm "$T"/state/fill?
check "room again: it is seen, within 10 s" timeout 10 bash -c \
    'while ! wfsupctl doctor | grep -q "has room"; do sleep 0.2; done'

# A run must not be able to take the daemon from everybody else.
out=$(timeout 10 wfsupctl run --json "$T/hog.py" 2>/dev/null)
check_eq "a sandbox that fills the disk: its run ends" \
    '"state":"completed","result":1' "$(result <<<"$out")"
out=$(timeout 5 bash -c 'while ! wfsupctl run --json "$0"; do sleep 0.2; done' \
    "$T/seven.py" 2>/dev/null | tail -1)
check_eq "and other runs go on, within 5 s" '"state":"completed","result":7' \
    "$(result <<<"$out")"
rm -rf "$T"/state/sandboxes/*/upper/*

# Neither must its journal be, were it that all of it is refused.
cat >"$T/flood.py" <<'END2'
import asyncio
while True:
    await asyncio.gather(*[tool("nope", content="a" * 16000)
        for i in range(20)], return_exceptions=True)
END2
out=$(timeout "$(slow 20)" wfsupctl run --json "$T/flood.py" 2>/dev/null)
check_eq "a journal without end: its run ends, exit 6" 6 $?
check "because of the journal's limit" \
    grep -q '"class":"LimitError".*"cause":"journal"' <<<"$out"
out=$(timeout 10 wfsupctl run --json "$T/seven.py" 2>/dev/null)
check_eq "and other runs go on" '"state":"completed","result":7' \
    "$(result <<<"$out")"

fill
own_stop
check_eq "full: a stop is in order" 0 "$own_status"
: >"$T/log"
own_start || wait "$daemon"
check "full: a start says what is wrong" grep -q 'disk is full' "$T/log"
rm -f "$T/state/fill"
kill -0 "$daemon" 2>/dev/null || own_start
check_eq "room again: all is there" '"state":"completed","result":7' \
    "$(timeout 10 wfsupctl result --wait --json "$first" 2>/dev/null |
    result)"
own_stop

# Nor must runs be that have ended: who has many loses the oldest.
umount -l "$T/state"
small_disk "$T/state" 32 || exit 1
own_start || { cat "$T/log"; exit 1; }
echo 'return "x" * 1000000' >"$T/long.py"
for n in $(seq 40); do
	timeout 10 wfsupctl run --json "$T/long.py" 2>/dev/null
done | grep -c '"state":"completed"' >"$T/completed"
check_eq "40 MB of ended runs on a disk of 32: all complete" 40 \
    "$(cat "$T/completed")"
check "of which the newest are there, and the oldest are not" [ \
    "$(wfsupctl list --json 2>/dev/null | grep -o 0mx | wc -l)" -lt 10 ]
check "and whose room is not taken" [ "$(find "$T/state" -name keeper.db -printf %s)" \
    -lt 14000000 ]

# Arguments that the disk has no room for are refused, and that is all.
free() { df --output=avail -k "$T/state" | tail -1; }
keepers=$(grep -c 'room.exit.*room="keeper"' "$T/log")
{ printf '"'; head -c 3000000 /dev/zero | tr '\0' a; printf '"'; } >"$T/args"
n=0
while [ "$(free)" -gt 5000 ] && [ $((n++)) -lt 100 ]; do
	head -c $((($(free) - 4500) * 1024)) /dev/zero >"$T/state/fill$n"
done
for n in 1 2 3 4 5 6; do
	timeout 10 wfsupctl submit --args "@$T/args" "$T/seven.py" &
done >"$T/said" 2>&1
wait $(jobs -p | grep -v "^$daemon$")
check "arguments that there is no room for: so it is said" \
    grep -q 'nearly full.* no room for the 30000[0-9]* bytes' "$T/said"
check_eq "and nothing else is: $(sort "$T/said" | uniq -c)" "" \
    "$(grep -v 'no room for\|^0mx\|disk is full\|run 0mx' "$T/said")"
check_eq "and the journal goes on" "$keepers" \
    "$(grep -c 'room.exit.*room="keeper"' "$T/log")"
out=$(timeout 10 wfsupctl run --json "$T/seven.py" 2>&1)
check "a short script has room, or is told the same" \
    grep -q '"result":7\|disk is' <<<"$out"
rm -f "$T"/state/fill*
own_stop
check_eq "nothing is left" "" "$(own_left | grep -v "$T/state ")"
finish

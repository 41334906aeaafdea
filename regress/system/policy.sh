#!/bin/bash
# The policy that show prints of a run that goes on, against what the kernel
# says of its tool jail; a script's jail has no more than that of anything.
. "$(dirname "$0")/../lib.sh"
if [ "${1:-}" != inside ]; then
	exec "$(dirname "$0")/../../etc/scratch" -- bash "$0" inside
fi
cd "$WFSUP_SCRATCH" || exit 1
daemon=$(cat pid)
cat >look.py <<'END'
got = await tool("bash", command="cat /proc/self/limits")
log(got["stdout"])
await sleep(600)
END
run=$(wfsupctl submit look.py)
for _ in $(seq "$(slow 50)"); do
	wfsupctl log "$run" | grep -q 'Max open files' && break
	sleep 0.1
done
wfsupctl show --json "$run" >show
wfsupctl log "$run" >tool

# policy KEY: a limit that show prints. limit FILE NAME: its hard limit.
policy() { grep -o "\"$1\":[0-9]*" show | head -1 | cut -d: -f2; }
limit() { sed -n "s/.*$2  *[0-9a-z]*  *\([0-9a-z]*\) .*/\1/p" "$1" | head -1; }

check "show has the policy of a run that goes on" \
    grep -q '"policy":{"profile":"admin","tools":\["\*"\]' show
check_eq "tool jail: largest file" "$(policy fsize)" \
    "$(limit tool 'Max file size')"
check_eq "tool jail: open files" "$(policy files)" \
    "$(limit tool 'Max open files')"
script=$(sed -n "s/.*event=jail.spawn .*run=\"$run\" kind=\"script\" `
    `pid=\"\([0-9]*\)\".*/\1/p" "$WFSUP_SCRATCH/log" | tail -1)
cat "/proc/$script/limits" >script
for row in 'fsize:Max file size' 'files:Max open files'; do
	check "script jail: ${row#*:}: no more" \
	    test "$(limit script "${row#*:}")" -le "$(policy "${row%%:*}")"
done
check_eq "script jail: CPU seconds" "$(policy cpu)" \
    "$(awk '/Max cpu time/ { print $4 }' script)"
group=$(sed -n 's/^[0-9]*:memory:\(.*\)/\1/p' "/proc/$script/cgroup")
if [ -n "$group" ]; then
	file=$(find /sys/fs/cgroup/memory -path "*/$(basename \
	    "$(dirname "$group")")/$(basename "$group")/memory.limit_in_bytes")
else
	group=$(sed -n 's/^0:://p' "/proc/$script/cgroup")
	file=/sys/fs/cgroup$group/memory.max
fi
if [ -r "$file" ]; then
	check_eq "script jail: memory of its cgroup" "$(policy memory)" \
	    "$(cat "$file")"
else
	skip "script jail: memory of its cgroup: no memory controller"
fi
wfsupctl cancel "$run"
check "show of an ended run has no policy" \
    test -z "$(wfsupctl show --json "$run" | grep '"policy"')"
finish

#!/bin/bash
# A command that dies of one of its sandbox's limits says so; one that dies of
# something else does not.
. "$(dirname "$0")/../lib.sh"
if [ "${1:-}" != inside ]; then
	conf=$(mktemp)
	cat >"$conf" <<-END
	profile small {
		verbs { "*" }
		tools { "*" }
		memory 96M
		cpu 2
		pids 24
	}
	allow user 0 profile small
	END
	"$(dirname "$0")/../../etc/scratch" -c "$conf" -- bash "$0" inside
	status=$?
	rm -f "$conf"
	exit "$status"
fi
cd "$WFSUP_SCRATCH" || exit 1

# call WHAT COMMAND PATTERN: its outcome has that.
call() {
	out=$(timeout 60 wfsupctl run --json --args "$(/usr/bin/python3 -c \
	    'import json, sys; print(json.dumps({"c": sys.argv[1]}))' "$2")" \
	    call.py 2>&1 | tail -1)
	check "$1" grep -q -- "$3" <<<"$out"
	grep -q -- "$3" <<<"$out" || printf '# want %s\n# got %s\n' "$3" "$out"
}
echo 'return await tool("bash", command=args["c"])' >call.py
eat='python3 -c "x = bytearray(400 << 20)"'
limit="killed: the sandbox's memory limit (100663296 bytes)"
call "the memory limit" "exec $eat" \
    "\"exit\":137.*\"stderr\":\"$limit\\\\n\",\"cause\":\"oom\""
call "below a shell that goes on to say so" "$eat; exit \$?" \
    "Killed.*\\\\n$limit\\\\n\",\"cause\":\"oom\""
call "on a line of its own" "printf x >&2; exec $eat" \
    "\"stderr\":\"x\\\\n$limit"
call "one that is not the command" "$eat 2>/dev/null | cat" \
    "killed by the sandbox's memory limit (100663296 bytes): 1 of its"
check "is not its cause of death" sh -c '! grep -q cause' <<<"$out"
call "a KILL of its own" 'kill -9 $$' '"exit":137,"stdout":"","stderr":""'
check "has no cause" sh -c '! grep -q cause' <<<"$out"
call "its time" 'trap "" TERM; kill -9 $$ & sleep 9' \
    '"exit":137,"stdout":"","stderr":""'
call "CPU time" 'exec python3 -c "while True: pass"' \
    'killed: the limit of CPU time (2 seconds)\\n","cause":"cpu"'
call "an XCPU that no limit sent" 'kill -XCPU $$' \
    '"exit":152,"stdout":"","stderr":""'
call "processes" 'exec python3 -c "
import os, time
for i in range(60):
    if os.fork() == 0:
        time.sleep(9)
"' "BlockingIOError.*refused: 1 new processes, by the limit (the sandbox's is 24)"
call "a command finds nothing open of what counts" 'ls /proc/self/fd' \
    '"stdout":"0\\n1\\n2\\n3\\n"'

# In one sandbox it is not known who met the limit.
cat >two.py <<-END
a, b = await parallel([
    lambda: tool("bash", command="exec python3 -c 'x = bytearray(400 << 20)'"),
    lambda: tool("bash", command="sleep 4; kill -9 \$\$")])
c = await tool("bash", command="kill -9 \$\$")
return [a, b, c]
END
out=$(timeout 60 wfsupctl run --json two.py 2>&1 | tail -1)
check "two calls at once: both are told of the kill" test "$(grep -o \
    '1 of the processes of this call and of others' <<<"$out" | wc -l)" = 2
check "neither that it was it" sh -c '! grep -q cause' <<<"$out"
check "a later one is not" grep -q \
    '{"exit":137,"stdout":"","stderr":""}\]' <<<"$out"
finish

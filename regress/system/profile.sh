#!/bin/bash
# What a profile says of what a script and its tools may say: results,
# messages, pending calls, lines of log.
. "$(dirname "$0")/../lib.sh"
cd "$(dirname "$0")/../.." || exit 1
. regress/own.sh

own_conf
sed -i '/agents { /a output 8k\nframe 256k\ncalls 3\nlog rate 5' \
    "$T/wfsupd.conf"
own_start || { cat "$T/log"; exit 1; }

# run NAME: its result as one line of JSON, or its error.
run() { timeout "$(slow 60)" wfsupctl run --json "$T/$1.py" 2>/dev/null |
    tail -1; }
# events RUN: time, kind and node of each.
events() {
	wfsupctl log --json "$1" | /usr/bin/python3 -c '
import json, sys
for line in sys.stdin:
    e = json.loads(line)
    print(e["at"], e["kind"], e["body"].get("node", ""))'
}
id() { grep -o '"run":"[^"]*"' <<<"$1" | head -1 | cut -d '"' -f 4; }

cat >"$T/output.py" <<'END2'
try:
    await tool("bash", command="head -c 20000 /dev/zero | tr '\\0' x")
except ToolError as e:
    return e.cause, str(e)
END2
out=$(run output)
check "a command that writes more than output says: an error" \
    grep -q '"size".*8192' <<<"$out"
cat >"$T/read.py" <<'END2'
await tool("bash", command="head -c 6000 /dev/zero | tr '\\0' x >x")
a = len((await tool("bash", command="cat x"))["stdout"])
await tool("bash", command="cat x x >y")
try:
    await tool("read", path="y")
except ToolError as e:
    return a, e.cause
END2
check_eq "below it: whole; a longer file: an error" '"result":[6000,"size"]' \
    "$(run read | grep -o '"result":[^]]*]')"

cat >"$T/frame.py" <<'END2'
try:
    await tool("write", path="x", content="x" * 300000)
except ValueError as e:
    return str(e)
END2
check "a message longer than frame says: an error before it is sent" \
    grep -q '262144 can be sent' <<<"$(run frame)"
echo 'return "x" * 300000' >"$T/long.py"
check "so is a result" grep -q '262144 can be sent' <<<"$(run long)"
cat >"$T/force.py" <<'END2'
tool.__globals__["border"].limit(4 * 1024 * 1024)
await tool("write", path="x", content="x" * 300000)
END2
check "a script that sends it all the same: protocol" \
    grep -q '"cause":"protocol"' <<<"$(run force)"

echo 'await parallel([lambda: sleep(0.1)] * 12)' >"$T/calls.py"
out=$(run calls)
most=$(events "$(id "$out")" | awk '
    $2 == "node.start" { if (++n > most) most = n }
    $2 == "node.end" { n-- } END { print most + 0 }')
check "no more calls are pending than calls says: $most of 3" \
    test "$most" -ge 1 -a "$most" -le 3

printf 'for i in range(60):\n    log("x")\n' >"$T/rate.py"
out=$(run rate)
check_eq "all lines of a script that tells many are there" 60 \
    "$(events "$(id "$out")" | grep -c ' log ')"
# Of 60 lines 40 come at once, 20 more take four seconds: less some.
took=$(events "$(id "$out")" | awk '$2 == "log" { if (!a) a = $1; b = $1 }
    END { print b - a }')
check "no faster than log rate says: $took ms" test "$took" -ge 3000
echo 'await sleep(60)' >"$T/sleep.py"
run=$(wfsupctl submit "$T/sleep.py")
for _ in $(seq "$(slow 50)"); do
	wfsupctl show "$run" >"$T/show"
	grep -q 'Pending calls' "$T/show" && break
	sleep 0.1
done
check "show has these limits" grep -q 'Pending calls  3$' "$T/show"
own_stop
finish

#!/bin/bash
# kill -9 of each room in the middle of a fan-out of 20: the run completes
# with the right result, no recorded node runs twice, nothing is left.
. "$(dirname "$0")/../lib.sh"
cd "$(dirname "$0")/../.." || exit 1
T=$(mktemp -d)
trap 'rm -rf "$T"' EXIT

mkdir "$T/ws"
for i in $(seq 20); do
	seq "$i" >"$T/ws/$i.txt"
done

# Each branch is an agent that reads its file through a slow model, and then
# a recorded sleep, so that there is a middle.
cat >"$T/rules.json" <<'END'
{"rules": [
  {"name": "read it",
   "when": {"turn": 0, "messages": [
     {"role": "user", "last": true, "regex": "^count ([0-9]+)$",
      "as": ["n"]}]},
   "delay": 300,
   "calls": [{"name": "read", "arguments": {"path": "${n}.txt"}}]},
  {"name": "say what it was",
   "when": {"messages": [
     {"role": "user", "regex": "^count ([0-9]+)$", "as": ["n"]},
     {"name": "text", "role": "tool", "tool": "read"}]},
   "let": {"last": {"max": "^([0-9]+)$", "in": "text", "else": 0}},
   "delay": 300,
   "text": "${n} has ${last}"}
]}
END
cat >"$T/fan.py" <<'END'
async def one(n):
    before = await tool("read", path=f"{n}.txt")
    said = await agent(f"count {n}", tools=["read"])
    await sleep(0.2)
    after = await tool("grep", pattern="^1$", path=f"{n}.txt")
    return [len(before.split()), said, len(after)]

return await parallel([lambda n=n: one(n) for n in range(1, 21)], limit=7)
END
want=$(/usr/bin/python3 -c '
import json
print(json.dumps([[n, f"{n} has {n}", 1] for n in range(1, 21)]))')
printf 'provider slow {\n\ttype canned\n\trules "%s"\n}\n' "$T/rules.json" \
    >"$T/extra.conf"
printf 'model slow {\n\tprovider slow\n}\ndefault model slow\n' \
    >>"$T/extra.conf"

# pid_of NAME: of this instance's process of that name.
pid_of() {
	ps -o pid=,args= --ppid "$(cat "$WFSUP_SCRATCH/pid")" |
	    awk -v n="/$1 " 'index($0 " ", n) { print $1; exit }'
}
# The recorded outcomes, from a copy: the keeper has its store locked.
recorded() {
	rm -rf "$T/db"
	mkdir "$T/db"
	cp "$WFSUP_SCRATCH"/state/keeper/keeper.db* "$T/db"
	sqlite3 "$T/db/keeper.db" "select path, done, ended, value from nodes
	    where done is not null order by done"
}
export -f pid_of recorded

# What kill.sh itself runs inside an instance: run the script, kill a room.
cat >"$T/one" <<'END'
#!/bin/bash
# one ROOM NODES: kill it while the agents work that come after so many nodes.
wfsupctl run "$T/fan.py" --workspace "$T/ws" --json >"$T/out" 2>"$T/err" &
run=$!
for _ in $(seq $((600 * ${WFSUP_SLOW:-1}))); do
	[ "$(grep -c ' done in ' "$T/err")" -lt "$2" ] || break
	sleep 0.05
done
sleep 0.1
victim=$(pid_of "$1")
[ -n "$victim" ] || { echo "no process $1"; ps ax; exit 9; }
echo "$WFSUP_SCRATCH $(cat "$WFSUP_SCRATCH/pid")" >>"$T/instances"
# What is recorded by now, and after which log line.
recorded >"$T/recorded"
mark=$(wc -l <"$WFSUP_SCRATCH/log")
kill -9 "$victim"
wait "$run"
echo $? >"$T/status"
tail -n "+$((mark + 1))" "$WFSUP_SCRATCH/log" >"$T/later"
cat "$WFSUP_SCRATCH/log" >"$T/log"
recorded >"$T/final"
exit 0
END
chmod +x "$T/one"
export T

# The recorded nodes for which something was used after the kill.
ran_again() {
	cut -d '|' -f 1 "$T/recorded" | while read -r path; do
		grep -F 'event=cap.use' "$T/later" | grep -F "node=\"$path\""
	done
}

# What of our instances is left: processes, cgroups, mounts, files.
leftovers() {
	while read -r dir pid; do
		ps ax -o pid=,args= | grep -F "$dir" | grep -v grep
		find /sys/fs/cgroup -maxdepth 3 -type d -name "*wfsup.$pid"
		grep -F "$dir" /proc/self/mountinfo
		ls -d "$dir"
	done <"$T/instances" 2>/dev/null
}

for room in wfsup-broker wfsup-keeper wfsup-gateway wfsup-script wfsup-tool \
    wfsup-reader; do
	for when in 7 28; do
		rm -f "$T"/out "$T"/status "$T"/recorded "$T"/final
		timeout 90 etc/scratch -c "$T/extra.conf" -- "$T/one" \
		    "$room" "$when" >"$T/scratch.out" 2>&1
		what="$room killed after $when nodes"
		got=$(tail -1 "$T/out" 2>/dev/null | /usr/bin/python3 -c '
import json, sys
print(json.dumps(json.loads(sys.stdin.read())["result"]))' 2>/dev/null)
		check_eq "$what: the result is right" "$want" "$got"
		check_eq "$what: the run completed" 0 \
		    "$(cat "$T/status" 2>/dev/null)"
		n=$(wc -l <"$T/recorded")
		check "$what: it was the middle ($n nodes recorded)" \
		    test "$n" -gt 0 -a "$n" -lt 80
		check_eq "$what: what was recorded stays as it was" "" \
		    "$(comm -23 <(sort "$T/recorded") <(sort "$T/final"))"
		check_eq "$what: no recorded node runs twice" "" "$(ran_again)"
		if [ "$want" != "$got" ]; then
			tail -3 "$T/out"
			tail -20 "$T/err"
			tail -20 "$T/scratch.out"
			grep -v 'outcome=ok\|outcome=grant' "$T/log" | tail -20
		fi
	done
done
check_eq "no process, cgroup, mount or file is left" "" "$(leftovers)"
finish

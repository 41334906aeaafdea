#!/bin/bash
# Twenty runs at once, each with a fan-out of its own; then a queue that is
# longer than what may run; nothing waits for ever and nothing is mixed up.
. "$(dirname "$0")/../lib.sh"
if [ "${1:-}" != inside ]; then
	conf=$(mktemp)
	echo 'limit runs 8' >"$conf"
	"$(dirname "$0")/../../etc/scratch" -c "$conf" -- bash "$0" inside
	status=$?
	rm -f "$conf"
	exit "$status"
fi

cd "$WFSUP_SCRATCH" || exit 1
mkdir ws out
for i in $(seq 10); do echo "file $i" >"ws/$i"; done
cat >fan.py <<'END'
me = args["me"]

async def one(i):
    text = await tool("read", path=str(i))
    await tool("write", path="mine", content=f"{me}.{i}")
    return text.strip() + f" {me}"

got = await parallel([lambda i=i: one(i) for i in range(1, 11)])
mine = await tool("read", path="mine")
return {"got": got, "mine": mine.split(".")[0]}
END
for n in $(seq 20); do
	timeout 120 wfsupctl run --json --workspace ws --args "{\"me\": $n}" \
	    fan.py >"out/$n" 2>"out/$n.err" &
	echo $! >"out/$n.pid"
done
sleep 0.3
most=$(wfsupctl list --json | grep -o '"state":"running"' | wc -l)
check "at most 8 run at once ($most seen)" test "$most" -le 8
bad=0 wrong=0
for n in $(seq 20); do
	wait "$(cat "out/$n.pid")" || bad=$((bad + 1))
	want=$(for i in $(seq 10); do printf '"file %d %d",' "$i" "$n"; done)
	grep -qF "\"result\":{\"got\":[${want%,}],\"mine\":\"$n\"}" "out/$n" ||
	    { wrong=$((wrong + 1)); tail -1 "out/$n"; tail -3 "out/$n.err"; }
done
check_eq "20 runs at once: all complete" 0 "$bad"
check_eq "20 runs at once: each has its own result and its own files" 0 \
    "$wrong"
check_eq "the workspace is unchanged" "" "$(ls ws | grep mine)"
sleep 0.5
check_eq "no jail is left" "" "$(wfsupctl doctor --json |
    grep -o '"jails":[1-9][0-9]*')"
check_eq "no sandbox is left on disk" "" "$(ls state/sandboxes)"
# It ends by itself when it is hung up on: the warden has to know by then why.
check_eq "each script's jail ended because it was done, and so it is said" \
    "cause=\"done\"" "$(grep 'event=jail.exit.*kind="script"' log |
    grep -o 'cause="[^"]*"' | sort -u | paste -sd' ')"
finish

#!/bin/bash
# The limits of jails, on whichever cgroup tree the host has: who goes over
# one ends alone, and the result, the CLI and the audit line say the same
# cause.
. "$(dirname "$0")/../lib.sh"
if [ "${1:-}" != inside ]; then
	[ "$(id -u)" -eq 0 ] || { skip "limits: needs root"; finish; }
	conf=$(mktemp)
	n=62001
	for limit in "memory 64M" "pids 16" "cpu 1" "wall $(slow 3)"; do
		cat <<-END
		profile p$n {
			verbs { run list show result follow cancel }
			tools { bash }
			$limit
		}
		allow user $n profile p$n
		END
		n=$((n + 1))
	done >"$conf"
	"$(dirname "$0")/../../etc/scratch" -c "$conf" -- bash "$0" inside
	status=$?
	rm -f "$conf"
	exit "$status"
fi

cd "$WFSUP_SCRATCH" || exit 1
install -m 755 "$(command -v wfsupctl)" ctl
mkdir -m 755 t
memory=62001 pids=62002 cpu=62003 wall=62004
megabyte=1048576

# run USER SCRIPT [ARGS] >OBJECT 2>WORDS
run() {
	timeout "$(slow 60)" setpriv --reuid "$1" --regid "$1" --clear-groups \
	    ./ctl run --json --args "${3:-{\}}" "t/$2"
}
text() { grep -o "\"$1\":\"[^\"]*\"" "$2" | head -1 | cut -d'"' -f4; }
# ended OBJECT KIND: the audit line of the end of its jail, which may be
# a moment behind.
ended() {
	local id i
	id=$(text run "$1")
	for i in $(seq "$(slow 50)"); do
		grep "event=jail.exit .*run=\"$id\" kind=\"$2\"" log && return
		sleep 0.1
	done
}
audit() { sed -n "s/.* $1=\"\([^\"]*\)\".*/\1/p" <<<"$line"; }

# over USER CAUSE WHAT WORDS: t/over goes over its user's limit.
over() {
	run "$1" over >out 2>err
	check_eq "$3: exit 6" 6 $?
	check_eq "$3: the result's cause" "$2" "$(text cause out)"
	check_eq "$3: its class" JailError "$(text class out)"
	check "$3: people are told" grep -q "$4.*($2)" err
	line=$(ended out script)
	check_eq "$3: the audit line's cause" "$2" "$(audit cause)"
	check_eq "$3: and its outcome" fail \
	    "$(grep -o 'outcome=[a-z]*' <<<"$line" | cut -d= -f2)"
}

# ---- one at a time ----

echo 'return 1' >t/small
run $memory small >out 2>err
check_eq "a script within its limits: exit 0" 0 $?
line=$(ended out script)
small=$(audit peak)
# At least one batch of pages, as the kernel charges them.
check "its peak of memory is that of a small script ($small)" \
    test "${small:-0}" -ge $((megabyte / 4)) -a \
    "${small:-0}" -lt $((16 * megabyte))

# Texts are written, so that it is the cgroup that says no.
cat >t/over <<'END'
await sleep(0.01)
hoard = []
while True:
    hoard.append("y" * 1000000 + str(len(hoard)))
END
over $memory oom "memory" "more memory than its limit"
check "memory: the peak is the limit ($(audit peak))" \
    test "$(audit peak)" -gt $((48 * megabyte)) -a \
    "$(audit peak)" -le $((64 * megabyte))

echo 'while True: pass' >t/over
over $cpu cpu "a loop before the first await" \
    "in which line is not known: it had not called any"
printf 'await sleep(0.01)\nwhile True: pass\n' >t/over
over $cpu cpu "a loop after an await" \
    "in which line is not known: its last call was sleep /sleep#0"
check "its CPU time is about the limit ($(audit cpu_ms) ms)" \
    test "$(audit cpu_ms)" -gt 800 -a "$(audit cpu_ms)" -lt 3000
echo 'await sleep(100000)' >t/over
over $wall wall "wall" "ran longer than its limit"

# ---- a tool jail ----

# said PATTERN: it is in the result, which is shown if it is not.
said() { grep -q "$1" out || ! cat out err; }

# The shell must not fork after it: the bomb may let nobody.
cat >t/bomb <<'END'
out = await tool("bash", timeout=args["patience"], command="""
bomb() { bomb | bomb & }
bomb 2>/dev/null
SECONDS=0
while [ $SECONDS -lt 2 ]; do :; done
echo over""")
after = await tool("bash", command="echo after; ls -d /proc/[0-9]* | wc -l")
return [out["stdout"], after["stdout"]]
END
run $pids bomb "{\"patience\": $(slow 30)}" >out 2>err &
bomb=$!
most=0
while kill -0 $bomb 2>/dev/null; do
	# The uid of the tool jail that is there; it counts from outside.
	uid=$(sed -n 's/.*event=jail.spawn.*kind="tool".* uid="\([0-9]*\)".*/\1/p' \
	    log | tail -1)
	n=$([ -z "$uid" ] || ps -o pid= -U "$uid" | wc -l)
	[ "${n:-0}" -le "$most" ] || most=$n
	sleep 0.05
done
wait $bomb
check_eq "a fork bomb: the run completes" 0 $?
check "a fork bomb: at most 16 processes ($most seen)" \
    test "$most" -gt 2 -a "$most" -le 16
check "a fork bomb: its call ends with it, the next is served" \
    said '"result":\["over\\n","after\\n[1-9]\\n"\]'

cat >t/full <<'END'
import asyncio, time
await tool("bash", command="python3 -c pass")
filler = asyncio.create_task(tool("bash", command=f"""
python3 -c '
import os, time
try:
    while os.fork(): pass
except OSError:
    pass
time.sleep(2 * {args["wait"]})'
echo first"""))
await sleep(args["wait"])
asked = time.time()
second = await tool("bash", command="echo second")
# The first of them to end makes room for it.
waited = time.time() - asked > args["wait"] / 2
return [waited, (await filler)["stdout"], second["stdout"]]
END
run $pids full "{\"wait\": $(($(slow 4) - 1))}" >out 2>err
check "a call when there is no process left waits for one" \
    said '"result":\[true,"first\\n","second\\n"\]'

cat >t/eat <<'END'
out = await tool("bash", command="""
python3 -c 'hoard = []
while True: hoard.append(b"y" * 1000000)'
echo $?""")
return out["stdout"]
END
run $memory eat >out 2>err
check "a command over the memory limit is killed, the shell goes on" \
    grep -q '"result":"137\\n"' out
line=$(ended out tool)
check "its jail's peak is the limit ($(audit peak))" \
    test "$(audit peak)" -gt $((48 * megabyte)) -a \
    "$(audit peak)" -le $((64 * megabyte))

# ---- one of ten ----

cat >t/ten <<'END'
me = args["n"]
said = await tool("bash", command=f"echo {me}")
await sleep(args["wait"])
if me == 5:
    hoard = []
    while True:
        hoard.append("y" * 1000000 + str(len(hoard)))
await sleep(args["wait"])
return int(said["stdout"])
END
for n in $(seq 10); do
	run $memory ten "{\"n\": $n, \"wait\": $(slow 2)}" >"t/$n" 2>"t/$n.err" &
	echo $! >"t/$n.pid"
done
for n in $(seq 10); do
	wait "$(cat "t/$n.pid")"
	echo "$? $(grep -o '"result":[0-9]*' "t/$n" | cut -d: -f2)"
done >ends
for n in $(seq 10); do
	[ "$n" -eq 5 ] && echo "6 " || echo "0 $n"
done >want
check_eq "ten at once, one goes over: nine complete" "$(paste -sd, want)" \
    "$(paste -sd, ends)"
check_eq "its cause" oom "$(text cause t/5)"
for n in $(seq 10); do ended "t/$n" script; done >lines
check_eq "the others lived when it died" "$(text run t/5)" \
    "$(grep 'event=jail.exit.*kind="script"' log | grep -F -f <(
	for n in $(seq 10); do text run "t/$n"; done) | head -1 |
	sed 's/.* run="\([^"]*\)".*/\1/')"
check_eq "one oom in the audit lines of ten" 1 "$(grep -c 'cause="oom"' lines)"

# ---- what is left ----

# But for the spare ones, which no line of the log has named.
jails_left() {
	local dir
	find /sys/fs/cgroup -type d -path "*/wfsup.$(cat pid)/jail-*" |
	    while read -r dir; do
		grep "event=jail.spawn .*jail=\"${dir##*-}\"" log >/dev/null &&
		    echo "$dir"
	done
}
for _ in $(seq "$(slow 50)"); do
	[ -z "$(jails_left)" ] && break
	sleep 0.1
done
check_eq "no jail's cgroup is left" "" "$(jails_left)"
check "the daemon's is there" test -n "$(find /sys/fs/cgroup -type d \
    -name "wfsup.$(cat pid)")"
finish

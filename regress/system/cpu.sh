#!/bin/bash
# A script that computes without end is ended by the kernel's count of its
# processor time, wherever it loops: so nobody has to watch it. A script jail
# is one process with one thread, whose limit (RLIMIT_CPU) is for all of its
# life and can't be raised, and it takes effect in C code and beside a pending
# call, where a watchdog that asks who waits for whom would see nothing wrong.
. "$(dirname "$0")/../lib.sh"
if [ "${1:-}" != inside ]; then
	[ "$(id -u)" -eq 0 ] || { skip "cpu: needs root"; finish; }
	conf=$(mktemp)
	cat >"$conf" <<-'END'
	profile short {
		verbs { run list show result follow cancel }
		tools { bash }
		cpu 1
	}
	allow user 62003 profile short
	END
	"$(dirname "$0")/../../etc/scratch" -c "$conf" -- bash "$0" inside
	status=$?
	rm -f "$conf"
	exit "$status"
fi

cd "$WFSUP_SCRATCH" || exit 1
install -m 755 "$(command -v wfsupctl)" ctl
mkdir -m 755 t
run() {
	timeout "$(slow 60)" setpriv --reuid 62003 --regid 62003 \
	    --clear-groups ./ctl run --json "t/$1" 2>/dev/null
}
text() { grep -o "\"$1\":\"[^\"]*\"" "t/$2.out" | head -1 | cut -d'"' -f4; }
# loop NAME <SCRIPT: have it run beside the others.
loop() { cat >"t/$1"; run "$1" >"t/$1.out" & }
# ended NAME WHAT: so it did, by its limit, and not long after it.
ended() {
	local ms
	check_eq "$2: it is ended by its CPU limit" cpu "$(text cause "$1")"
	ms=$(sed -n "s/.*jail.exit .*run=\"$(text run "$1")\" kind=\"script\".*`
	    `cpu_ms=\"\([0-9]*\)\".*/\1/p" log | tail -1)
	# The limit counts ticks, which on a busy machine may be the others'.
	check "$2: about the limit ($ms ms)" \
	    test "${ms:-0}" -gt 500 -a "${ms:-0}" -lt 3000
}

# Beside a call that is pending: nobody could say that it computes.
loop pending <<'END'
import asyncio
call = asyncio.create_task(tool("bash", command="sleep 100"))
await sleep(0.1)
while True: pass
END
# Never for long, but again and again: each wait would have looked harmless.
loop slices <<'END'
while True:
    n = 0
    for i in range(200000):
        n += i
    await sleep(0)
END
loop swallow <<'END'
await sleep(0.01)
while True:
    try:
        while True: pass
    except BaseException:
        pass
END
wait
ended pending "a loop while a call is pending"
ended slices "short loops between waits"
ended swallow "a loop that catches all"

# In C nothing of Python's would come to look.
loop regex <<'END'
import re
await sleep(0.01)
return re.match("(a+)+$", "a" * 60 + "b") is None
END
loop sum <<'END'
return sum(range(10 ** 15))
END
loop power <<'END'
return len(bin(pow(7, 10 ** 4000, 10 ** 4000 + 1)))
END
wait
ended regex "a regular expression"
ended sum "a sum"
ended power "a power"

cat >t/thread <<'END'
try:
    import threading
    threading.Thread(target=print).start()
except BaseException as e:
    return type(e).__name__
END
run thread >t/thread.out
check "there is no other thread to compute in" \
    grep -q '"result":"[A-Za-z]*Error"' t/thread.out

# A jail that we took away is not the script's fault: the next one counts
# anew, and a loop in what is replayed ends that one.
loop replay <<'END'
await tool("bash", command="echo once")
await sleep(0.01)
while True: pass
END
for _ in $(seq "$(slow 50)"); do
	grep -q 'event=jail.exit .*kind="tool"' log && break
	grep -c 'event=jail.spawn .*kind="tool"' log | grep -q '^2$' && break
	sleep 0.1
done
sleep 0.5
kill -KILL "$(pgrep -P "$(cat pid)" -x wfsup-script)"
wait
ended replay "a loop that is come to by replay"
id=$(text run replay)
check_eq "replay: in its second jail" 2 \
    "$(grep -c "event=jail.spawn .*run=\"$id\" kind=\"script\"" log)"
finish

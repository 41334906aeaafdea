#!/bin/bash
# What a start refuses, and that it says what is wrong; what it clears away.
. "$(dirname "$0")/../lib.sh"
cd "$(dirname "$0")/../.." || exit 1
. regress/own.sh

# refused WHAT TEXT [COMMAND]...: a start ends with 1 and says TEXT.
refused() {
	local what=$1 text=$2
	shift 2
	timeout 20 "$@" wfsupd -f "$T/wfsupd.conf" >"$T/log" 2>&1
	check_eq "$what: refused" 78 $?
	check "$what: it says \"$text\"" grep -q "$text" "$T/log"
}

# A socket of somebody who lives, of a type.
cat >"$T/stranger.py" <<'END2'
import signal, socket, sys
s = socket.socket(socket.AF_UNIX, getattr(socket, "SOCK_" + sys.argv[2]))
s.bind(sys.argv[1])
if sys.argv[2] != "DGRAM":
    s.listen()
signal.pause()
END2

answers() { timeout 5 wfsupctl version >/dev/null; }
own_conf
for type in DGRAM STREAM SEQPACKET; do
	/usr/bin/python3 "$T/stranger.py" "$T/control.sock" "$type" &
	stranger=$!
	for _ in $(seq "$(slow 50)"); do
		[ -S "$T/control.sock" ] && break
		sleep 0.1
	done
	text="somebody else's socket"
	[ "$type" != SEQPACKET ] || text="another daemon listens there"
	refused "a living stranger's $type socket" "$text"
	check "and left as it is" test -S "$T/control.sock"
	kill "$stranger"
	wait "$stranger" 2>/dev/null
	own_start
	check "left over, it is replaced" answers
	own_stop
	rm -f "$T/control.sock"
done

# A path that is not absolute is of the directory that one is in.
mkdir "$T/from"
printf '#!/bin/sh\ncd %s || exit 1\nexec %s/wfsupd -f wfsupd.conf\n' "$T" \
    "$bin" >"$T/from/wfsupd"
chmod 755 "$T/from/wfsupd"
PATH=$T/from:$PATH own_start
check "a configuration by a relative path" answers
kill -HUP "$daemon"
for _ in $(seq "$(slow 50)"); do
	grep -q 'event=daemon.reload outcome=ok' "$T/log" && break
	sleep 0.1
done
check "and it is found again" grep -q 'event=daemon.reload outcome=ok' "$T/log"
own_stop

refused "fewer files than the limits need" "LimitNOFILE=" \
    bash -c 'ulimit -Hn 512 -Sn 512; exec "$@"' sh
# A tree that was installed below another root runs where it is.
if command -v make >/dev/null; then
	make install DESTDIR="$T/root" B="${B:-build}" >"$T/install" 2>&1
	PATH=$T/root/usr/sbin:$PATH own_start
	own_kin=$(ps -o args= --ppid "$daemon")
	check "an installed tree runs in place" grep -q "^$T/root/usr/lib/wfsup/" \
	    <<<"$own_kin"
	own_stop
else
	skip "an installed tree runs in place: there is no make"
fi

# The unit's capabilities are all that a start needs.
caps=$(sed -n 's/^CapabilityBoundingSet=//p' etc/wfsupd.service.in |
    tr 'A-Z ' 'a-z\n' | sed 's/^cap_/+/' | paste -sd,)
mkdir "$T/capped"
printf '#!/bin/sh\nexec setpriv --bounding-set=-all,%s %s/wfsupd "$@"\n' \
    "$caps" "$bin" >"$T/capped/wfsupd"
chmod 755 "$T/capped/wfsupd"
PATH=$T/capped:$PATH own_start
check "it starts with the unit's capabilities ($caps)" answers
own_stop

# It lives, and all is well again when it may open more.
: >"$T/log"
own_start
for _ in $(seq "$(slow 50)"); do
	grep -q event=daemon.start "$T/log" && break
	sleep 0.1
done
echo "return 7" >"$T/seven.py"
cat >"$T/sh.py" <<'END2'
await sleep(1)
return (await tool("bash", command="echo hi"))["stdout"]
END2
timeout 20 wfsupctl run --json "$T/sh.py" >"$T/sh.out" 2>/dev/null &
sleep 0.7
prlimit --pid "$daemon" --nofile=8:
sleep 1.5
prlimit --pid "$daemon" --nofile=1024:
wait $!
check "no file may be opened for a sandbox: it waits for better times" \
    grep -q '"result":"hi' "$T/sh.out"
prlimit --pid "$daemon" --nofile=8:
kill -KILL "$(room keeper)"
sleep 1
check "nor for a room: the daemon lives" kill -0 "$daemon"
check "and says so" grep -q "Too many open files" "$T/log"
prlimit --pid "$daemon" --nofile=1024:
for _ in $(seq "$(slow 50)"); do
	timeout 5 wfsupctl run --json "$T/seven.py" >"$T/out" 2>&1 && break
	sleep 0.1
done
check "they may again: all is well" grep -q '"result":7' "$T/out"
own_stop
check_eq "the stop is in order" 0 "$own_status"
check_eq "nothing is left" "" "$(own_left)"
finish

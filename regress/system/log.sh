#!/bin/bash
# Audit lines through a real syslog daemon: each process's seq rises by one,
# whatever a script writes stays in its line, every grant and denial is
# there; with a syslog daemon that is stopped, starts again or comes late.
. "$(dirname "$0")/../lib.sh"
cd "$(dirname "$0")/../.." || exit 1
command -v rsyslogd >/dev/null || { skip "no rsyslogd"; exit 0; }
. regress/own.sh

cat >"$T/rsyslog.conf" <<END2
global(workDirectory="$T" maxMessageSize="8k")
module(load="imuxsock" SysSock.Use="off")
input(type="imuxsock" Socket="$T/syslog" UsePIDFromSystem="on"
    RateLimit.Interval="0")
template(name="t" type="list") {
	property(name="syslogfacility-text") constant(value=" ")
	property(name="syslogseverity-text") constant(value=" ")
	property(name="programname") property(name="msg") constant(value="\n")
}
action(type="omfile" file="$T/lines" template="t" flushOnTXEnd="on")
END2
syslog=
syslog_start() {
	rm -f "$T/syslog"
	rsyslogd -n -f "$T/rsyslog.conf" -i "$T/syslog.pid" &
	syslog=$!
	for _ in $(seq "$(slow 50)"); do
		[ -S "$T/syslog" ] && return
		sleep 0.1
	done
}
syslog_stop() {
	kill -CONT "$syslog"
	kill "$syslog"
	wait "$syslog" 2>/dev/null
	syslog=
	rm -f "$T/syslog"
}
trap '[ -z "$syslog" ] || kill -KILL "$syslog"; own_end' EXIT

# seen N WHAT: wait until at least N lines have WHAT.
seen() {
	for _ in $(seq "$(slow 80)"); do
		[ "$(grep -c -- "$2" "$T/lines" 2>/dev/null)" -ge "$1" ] &&
		    return 0
		sleep 0.1
	done
	return 1
}
# Where a process's seq does not rise by one, and what was dropped.
gaps() {
	/usr/bin/python3 - "$T/lines" <<'END2'
import re, sys
last = {}
for line in open(sys.argv[1], encoding="utf-8", errors="surrogateescape"):
    m = re.search(r"event=(\S+) outcome=\S+ by=(\S+) seq=(\d+) boot=(\S+)",
                  line)
    if m:
        who, seq = (m[4], m[2]), int(m[3])
        if seq != last.get(who, 0) + 1:
            print(m[2], last.get(who, 0), seq, m[1])
        last[who] = seq
    elif "audit.drop" in line:
        print(line.strip())
END2
}

cat >"$T/calls.py" <<'END2'
for n in range(20):
    await tool("bash", command="true")
return 1
END2
# Every name and text of a script that may reach the log, as hostile as can be.
cat >"$T/hostile.py" <<'END2'
evil = 'x\n<86>Jan  1 sshd[1]: forged" outcome=grant \x1b[2J%n%s\u202e'
for bad in (lambda: tool(evil), lambda: tool("read", path=evil),
            lambda: tool("bash", command=evil), lambda: agent(evil),
            lambda: agent("x", model=evil), lambda: agent("x", agent=evil),
            lambda: agent("x", tools=[evil]), lambda: agent("x", label=evil)):
    try:
        await bad()
    except (AgentError, ScopeError, ToolError, ValueError) as e:
        log(evil + str(e))
phase(evil + "y" * 3000)
return 1
END2

syslog_start
own_conf "log socket \"$T/syslog\""
sed -i 's/tools { "\*" }/tools { bash }/' "$T/wfsupd.conf"
own_start || { cat "$T/log"; exit 1; }
wfsupctl run "$T/calls.py" >/dev/null 2>&1
check "the start is there" seen 1 event=daemon.start
check "a line for each granted call" seen 20 'event=cap.use outcome=grant'
check_eq "decisions go to authpriv" 0 \
    "$(grep 'event=cap.use' "$T/lines" | grep -vc '^authpriv notice wfsupd')"

timeout 20 wfsupctl run "$T/hostile.py" >/dev/null 2>&1
check_eq "the hostile script runs to its end" 0 $?
check "a denied tool is there, as a warning" \
    seen 1 '^authpriv warning.*event=cap.use outcome=deny.* tool="read"'
check_eq "no line is forged" 0 "$(grep -vc '^[a-z]* [a-z]* wfsupd' "$T/lines")"
check_eq "printable characters only" 0 \
    "$(LC_ALL=C.UTF-8 grep -vc '^[[:print:]]*$' "$T/lines")"
check_eq "no line is longer than 2 KiB" 0 \
    "$(awk 'length($0) > 2100' "$T/lines" | wc -l)"

kill -STOP "$syslog"
for _ in 1 2 3 4; do
	timeout 10 wfsupctl run "$T/calls.py" >/dev/null 2>&1
	check_eq "syslog is stopped: a run completes" 0 $?
done
kill -CONT "$syslog"
check "it goes on: nothing was lost" seen 101 'event=cap.use outcome=grant'

syslog_stop
timeout 10 wfsupctl run "$T/calls.py" >/dev/null 2>&1
check_eq "syslog is gone: a run completes" 0 $?
syslog_start
check "it is back: nothing was lost" seen 121 'event=cap.use outcome=grant'
check_eq "no gap in any seq" "" "$(gaps)"

# The end of the trail: who stops while syslog can't take it says it elsewhere.
kill -STOP "$syslog"
for _ in $(seq 3); do
	timeout 10 wfsupctl run "$T/calls.py" >/dev/null 2>&1
done
own_stop
check_eq "syslog is stopped: a stop is in order" 0 "$own_status"
kill -CONT "$syslog"
sleep 1
check "the stop is in syslog, or on standard error" \
    grep -q 'event=daemon.stop' "$T/lines" "$T/log"

syslog_stop
own_start
check "syslog is absent at the start: that is said" \
    grep -q "$T/syslog.*No such file" "$T/log"
syslog_start
timeout 10 wfsupctl run "$T/calls.py" >/dev/null 2>&1
check "syslog has come: it has the trail" \
    seen 2 "by=broker seq=2 "
own_stop
syslog_stop
check_eq "nothing is left" "" "$(own_left)"
finish

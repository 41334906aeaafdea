#!/bin/bash
# The installed daemon as a unit of systemd: it starts, serves, reloads, comes
# back, resumes, keeps its audit lines whole, and leaves nothing.
. "$(dirname "$0")/../lib.sh"
if [ "$(cat /proc/1/comm)" != systemd ] ||
    ! [ -e /usr/lib/systemd/system/wfsupd.service ]; then
	skip "the unit: needs systemd and an installed wfsupd"
	finish
fi
T=$(mktemp -d)
dropin=/run/systemd/system/wfsupd.service.d
trap 'systemctl stop wfsupd; rm -rf "$T" "$dropin"' EXIT
cd "$T" || exit 1
conf=/etc/wfsup/wfsupd.conf
cp -p $conf good
mainpid() { systemctl show -P MainPID wfsupd; }
active() { systemctl is-active wfsupd; }
until_true() {
	local i
	for i in $(seq "$(slow 100)"); do
		"$@" >/dev/null 2>&1 && return 0
		sleep 0.1
	done
	return 1
}
result() { grep -o '"state":"[^"]*","result":[^,]*' "$1"; }
run() { timeout "$(slow 60)" wfsupctl run --json "$@" 2>err; }
lines() { journalctl -q --no-pager -o cat -t wfsupd; }

# ---- it starts and serves ----

systemctl start wfsupd
check_eq "it starts, and is ready when it says so" 0 $?
check "a client is served at once" wfsupctl version
check_eq "it is in the host's mount namespace" "$(readlink /proc/1/ns/mnt)" \
    "$(readlink "/proc/$(mainpid)/ns/mnt")"
score=$(systemd-analyze security --no-pager wfsupd | tail -1 |
    grep -o '[0-9]*\.[0-9]')
check "systemd-analyze security: $score" test "${score/./}" -le 55
check_eq "its state directory" "711 root" "$(stat -c '%a %U' /var/lib/wfsup)"

mkdir -m 700 ws
echo words >ws/a
echo 'return (await tool("read", path="a")).strip()' >read.py
run -w ws read.py >out
check_eq "a run, with a workspace and a tool" \
    '"state":"completed","result":"words"' "$(result out)"
doctor=$(wfsupctl doctor)
check_eq "doctor: nothing is amiss" "" \
    "$(tail -n +2 <<<"$doctor" | grep -v '^ok \|^$\|^[0-9]')"
check "doctor: version 2 cgroups" grep -q 'version 2 with memory' \
    <<<"$doctor"
case $(uname -r) in
6.1.*) check "doctor: Landlock as this kernel has it" \
	    grep -q 'landlock  *ABI 2' <<<"$doctor" ;;
*) skip "doctor: Landlock of 6.1: this is $(uname -r)" ;;
esac

# A jail out of memory is no matter of the unit's.
sed -i 's/^profile admin {/&\n\tmemory 64M/' $conf
systemctl reload wfsupd
check_eq "a reload" 0 $?
pid=$(mainpid)
cat >hoard.py <<'END'
hoard = []
while True:
    hoard.append("y" * 1000000 + str(len(hoard)))
END
run hoard.py >out
check_eq "after it, a new limit is in force: exit 6" 6 $?
check "with its cause" grep -q '"cause":"oom"' out
check_eq "and the unit goes on as it was" "active $pid" \
    "$(active) $(mainpid)"
echo nonsense >>$conf
systemctl reload wfsupd 2>/dev/null
check_eq "a reload of a wrong configuration fails" 1 $?
check_eq "and the unit goes on as it was" "active $pid" \
    "$(active) $(mainpid)"
cp -p good $conf

# ---- what another try can't help is not tried again ----

echo nonsense >>$conf
systemctl restart wfsupd 2>/dev/null
check_eq "a start with a wrong configuration fails" 1 $?
sleep "$(slow 3)"
check_eq "and is not tried again" "failed 78 0" "$(active) $(
    systemctl show -P ExecMainStatus wfsupd) $(
    systemctl show -P NRestarts wfsupd)"
cp -p good $conf
systemctl start wfsupd
check_eq "until it is right, and somebody starts it" "0 active" "$? $(active)"

# ---- it comes back, and its runs go on ----

cat >steps.py <<'END'
async def one(n):
    text = await tool("read", path="a")
    await sleep(args["wait"])
    return text.strip() + str(n)

return ",".join(await parallel([lambda n=n: one(n) for n in range(6)], limit=2))
END
want='"state":"completed","result":"words0'
# resumed WHAT COMMAND...: a run that is in its middle meanwhile.
resumed() {
	local when=$1 id before
	shift
	id=$(wfsupctl submit -w ws --args "{\"wait\": $(slow 1)}" steps.py)
	until_true sh -c "wfsupctl log $id | grep -q 'sleep#0 done'"
	before=$(mainpid)
	"$@"
	until_true wfsupctl version
	check "$when: another process" test "$(mainpid)" -ne "$before"
	timeout "$(slow 60)" wfsupctl result --wait --json "$id" >out 2>err
	check_eq "$when: the run goes on by itself" "$want" "$(result out)"
	check_eq "$when: each step once" 12 "$(grep -o '"nodes":[0-9]*' out |
	    cut -d: -f2)"
	check_eq "$when: no room is there twice" "" \
	    "$(pgrep -l -P "$(mainpid)" | cut -d' ' -f2 | sort | uniq -d)"
	check "$when: and all are there" test \
	    "$(pgrep -c -P "$(mainpid)" '^wfsup-')" -ge 5
}
killed() {
	kill -KILL "$(mainpid)"
	until_true sh -c '[ "$(systemctl show -P NRestarts wfsupd)" -gt 0 ]'
}
resumed "restart" systemctl restart wfsupd
resumed "SIGKILL" killed

# A loop that is stuck is seen by the watchdog.
mkdir -p "$dropin"
printf '[Service]\nWatchdogSec=%ds\nTimeoutAbortSec=2s\n' "$(slow 2)" \
    >"$dropin/watchdog.conf"
systemctl daemon-reload
systemctl restart wfsupd
pid=$(mainpid)
sleep "$(slow 4)"
check_eq "the watchdog is fed" "active $pid" "$(active) $(mainpid)"
kill -STOP "$pid"
until_true sh -c "[ \$(systemctl show -P MainPID wfsupd) -ne $pid ]"
until_true wfsupctl version
run -w ws read.py >out
check_eq "one that is stuck is replaced" \
    '"state":"completed","result":"words"' "$(result out)"
rm "$dropin/watchdog.conf"

# ---- keys ----

(umask 077 && echo sk-of-the-unit >key)
echo "[Service]
LoadCredential=api:$T/key" >"$dropin/key.conf"
echo 'provider p {
	type openai
	url "http://127.0.0.1:1/v1"
	key credential "api"
}' >>$conf
systemctl daemon-reload
systemctl restart wfsupd
check_eq "with a key by LoadCredential= it starts" active "$(active)"
check_eq "and is in the host's mount namespace" \
    "$(readlink /proc/1/ns/mnt)" "$(readlink "/proc/$(mainpid)/ns/mnt")"
check "the key was handed on" sh -c \
    "journalctl -q -o cat -t wfsupd | grep -q 'event=secret.access outcome=ok'"
echo 'return await tool("bash", command="ls -d /run/credentials")' >look.py
run look.py >out
check "a jail does not see it" grep -q 'No such file' out
rm "$dropin/key.conf"
cp -p good $conf
systemctl daemon-reload
systemctl restart wfsupd

# ---- audit lines ----

cat >hostile.py <<'END'
for name in ("a\nevent=forged outcome=ok", "\x1b[2Jx", "\u202e\u2028\x85",
             'q" seq="1', "\\", "x" * 4000, "%n%s\r\t\x7f"):
    try:
        await tool(name, text=name)
    except NodeError:
        pass
log("one\nevent=forged outcome=ok by=wfsupd")
raise ValueError("two\nevent=forged outcome=ok by=wfsupd")
END
run hostile.py >out
# of_rsyslog FILE...: the audit lines in there.
of_rsyslog() { sed -n 's/^.*\(event=[a-z.]* outcome=.*\)/\1/p' "$@"; }
boots() { grep -o 'boot=[0-9a-f]*' | sort -u; }
# Both in one state: a line may come later than what it tells of.
heard_alike() {
	lines | grep event= >audit
	sort audit >by_journald
	of_rsyslog /var/log/auth.log /var/log/syslog | sort >by_rsyslog
	cmp -s by_journald by_rsyslog
}
until_true heard_alike
check "journald has audit lines ($(wc -l <audit))" test -s audit
check_eq "each is whole and of the one form" "" "$(LC_ALL=C grep -vE \
    '^event=[a-z.]+ outcome=[a-z]+ by=[a-z]+ seq=[0-9]+ boot=[0-9a-f]{16}( [a-z_]+="([^"\\]|\\.)*")*$' \
    audit | head -3)"
check_eq "none is a script's" "" "$(grep '^event=forged' audit)"
check_eq "none is missing: each process counts from 1 in each life" "" \
    "$(awk '{ split($3, by, "="); split($4, seq, "="); who = by[2] " " $5
	if (seq[2] != ++last[who] && seq[2] != 1) print
	last[who] = seq[2] }' audit | head -3)"
check_eq "rsyslog has them, too" "" "$(diff by_journald by_rsyslog | head -5)"
# Who can't read its configuration knows no log: its lines are standard error.
check_eq "in auth.log, but for the start with a wrong configuration" \
    "$(grep 'event=daemon.stop outcome=fail' audit | boots)" \
    "$(of_rsyslog /var/log/syslog | boots)"
check_eq "all are the unit's" "" "$(comm -13 \
    <(journalctl -q -o cat -u wfsupd | grep event= | sort) <(sort audit))"

# ---- it stops ----

wfsupctl submit -w ws --args '{"wait": 600}' steps.py >id
until_true sh -c 'wfsupctl log "$(cat id)" | grep -q "tool#0 done"'
systemctl stop wfsupd
check_eq "a stop in the middle of a run" "inactive success" \
    "$(active) $(systemctl show -P Result wfsupd)"
check_eq "leaves no cgroup" "" "$(find /sys/fs/cgroup -path '*wfsup*')"
check_eq "no process" "" "$(ps ax -o args= | grep '^[^ ]*/wfsup')"
check_eq "no process of a jail" "" \
    "$(ps ax -o uid=,args= | awk '$1 >= 100000')"
check_eq "no socket" "" "$(ls -A /run/wfsup 2>&1 | grep -v 'No such')"
check_eq "no mount" "" "$(grep wfsup /proc/self/mountinfo)"
systemctl start wfsupd
check "and the run goes on after the next start" \
    sh -c 'wfsupctl show "$(cat id)" | grep -Eq "^State *(running|waiting)"'
wfsupctl cancel "$(cat id)" >/dev/null
finish

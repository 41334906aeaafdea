#!/bin/bash
# Each room's header block (the comment that main.c begins with) against what
# /proc says of the running process.
. "$(dirname "$0")/../lib.sh"
top=$(cd "$(dirname "$0")/../.." && pwd)
if [ "${1:-}" != inside ]; then
	exec "$top/etc/scratch" -- bash "$0" inside
fi
daemon=$(cat "$WFSUP_SCRATCH/pid")

# header ROOM KEY [SECTION]: a value of the block, in one line.
header() {
	awk -v key="$2" -v section="${3:-}" '
	    /^#include/ { exit }
	    section != "" && !in_section {
		in_section = index($0, section) > 0; next }
	    /^ \*$/ { if (got) exit; next }
	    index($0, " * " key "\t") == 1 {
		got = 1; sub(/^[^\t]*\t+/, ""); text = $0; next }
	    got && /^ \*\t/ { sub(/^ \*[ \t]*/, ""); text = text " " $0; next }
	    got { exit }
	    END { print text }' "$top/$1/main.c"
}
status() { awk -v k="$2:" '$1 == k { $1 = ""; sub(/^ /, ""); print }' \
    "/proc/$1/status" | tr '\t' ' '; }
child() { pgrep -P "$daemon" -x "$1" | head -1; }

# The numbers of capabilities by name, as a mask in hex.
mask() {
	local m=0 n name
	for name in $1; do
		case $name in
		CHOWN) n=0 ;; DAC_OVERRIDE) n=1 ;; KILL) n=5 ;; SETGID) n=6 ;;
		SETUID) n=7 ;; SETPCAP) n=8 ;; SYS_ADMIN) n=21 ;;
		none) continue ;;
		*) echo "unknown capability $name"; return ;;
		esac
		m=$((m | 1 << n))
	done
	printf '%016x\n' "$m"
}

# room FOLDER BINARY UID
room() {
	local pid words cap
	pid=$(child "$2")
	check "$1: runs" test -n "$pid"
	[ -n "$pid" ] || return
	check "$1: has a user of its own in its header" \
	    grep -q '^_wf' <<<"$(header "$1" User)"
	check_eq "$1: runs as that user" "$3 $3 $3 $3" "$(status "$pid" Uid)"
	check_eq "$1: no supplementary groups" "" \
	    "$(status "$pid" Groups | tr -d ' ')"
	words=$(header "$1" Capabilities)
	check_eq "$1: header: capabilities" "none, bounding set empty" "$words"
	for cap in CapInh CapPrm CapEff CapBnd CapAmb; do
		check_eq "$1: $cap" 0000000000000000 "$(status "$pid" $cap)"
	done
	check_eq "$1: no new privileges" 1 "$(status "$pid" NoNewPrivs)"
	check_eq "$1: system calls are filtered" 2 "$(status "$pid" Seccomp)"
	case $(header "$1" Network) in
	none*)
		check "$1: a network namespace of its own" test \
		    "$(readlink "/proc/$pid/ns/net")" != \
		    "$(readlink "/proc/$daemon/ns/net")"
		check_eq "$1: with nothing but a downed loopback" "lo:" \
		    "$(awk 'NR > 2 { print $1 }' "/proc/$pid/net/dev")"
		;;
	outbound*)
		check_eq "$1: the host's network" \
		    "$(readlink "/proc/$daemon/ns/net")" \
		    "$(readlink "/proc/$pid/ns/net")"
		;;
	*) not_ok "$1: header: network" ;;
	esac
	check_eq "$1: has few descriptors: sockets, the event loop" "" \
	    "$(ls -l "/proc/$pid/fd" | awk 'NR > 1 { print $NF }' |
	    grep -vE '^(socket:|anon_inode:|/dev/null$|pipe:)|/log$' |
	    grep -vE "$4")"
}

room broker wfsup-broker 61001 '^$'
room keeper wfsup-keeper 61002 'keeper\.db'
room gateway wfsup-gateway 61003 '^$'

pid=$(child wfsup-broker)
check_eq "broker: its root is empty" "" "$(ls -A "/proc/$pid/root/")"
check_eq "broker: header: files" "none: the root is an empty directory" \
    "$(header broker Files)"
pid=$(child wfsup-keeper)
check_eq "keeper: its root is the state directory" \
    "$(stat -c %i "$WFSUP_SCRATCH/state/keeper")" \
    "$(stat -c %i "/proc/$pid/root/")"
pid=$(child wfsup-gateway)
check_eq "gateway: sees no home, no state, no run directory" "" \
    "$(cd "/proc/$pid/root" && ls -d home root run var tmp srv 2>/dev/null)"
check_eq "gateway: of /etc what names and certificates need" "" \
    "$(ls "/proc/$pid/root/etc" | grep -vxE 'ca-certificates|gai.conf|'`
    `'host.conf|hosts|ld.so.cache|nsswitch.conf|resolv.conf|services|ssl')"
check_eq "gateway: no environment" "" "$(tr '\0' '\n' <"/proc/$pid/environ" |
    grep -vE '^(PATH|LC_ALL|TZ|ASAN_OPTIONS|UBSAN_OPTIONS)=')"

want=$(mask KILL)
check "supervisor: header names one capability" \
    grep -q '^KILL, bounding set the same' \
    <<<"$(header supervisor Capabilities)"
for cap in CapPrm CapEff CapBnd; do
	check_eq "supervisor: $cap" "$want" "$(status "$daemon" $cap)"
done
check_eq "supervisor: CapInh" 0000000000000000 "$(status "$daemon" CapInh)"
check_eq "supervisor: no new privileges" 1 "$(status "$daemon" NoNewPrivs)"
check_eq "supervisor: system calls are filtered" 2 "$(status "$daemon" Seccomp)"

# What it may call is a budget: as few as can be, never more.
calls=$(sed -n '/^static const int.*allowed/,/^};/p' \
    "$top/supervisor/rights.c" | grep -o 'SCMP_SYS(' | wc -l)
check "supervisor: $calls system calls are allowed, at most 40" \
    test "$calls" -gt 0 -a "$calls" -le 40

# So are its lines, those that are not comments or blank.
lines=$(awk '
    {
	line = $0
	code = ""
	while (line != "") {
		mark = comment ? "*/" : "/*"
		i = index(line, mark)
		if (!comment)
			code = code (i ? substr(line, 1, i - 1) : line)
		line = i ? substr(line, i + 2) : ""
		if (i)
			comment = !comment
	}
	n += code ~ /[^ \t]/
    }
    END { print n }' "$top"/supervisor/*.[ch])
check "supervisor: $lines lines of code, at most 1,500" test "$lines" -le 1500

# stays_root FOLDER PID CAPABILITY...: these alone.
stays_root() {
	local room=$1 pid=$2 cap
	shift 2
	check_eq "$room: header: capabilities" \
	    "$(echo "$*" | sed 's/ /, /g'), bounding set the same" \
	    "$(header "$room" Capabilities)"
	for cap in CapPrm CapEff CapBnd; do
		check_eq "$room: $cap" "$(mask "$*")" "$(status "$pid" $cap)"
	done
	for cap in CapInh CapAmb; do
		check_eq "$room: $cap" 0000000000000000 \
		    "$(status "$pid" $cap)"
	done
	check_eq "$room: no supplementary groups" "" \
	    "$(status "$pid" Groups | tr -d ' ')"
	check_eq "$room: no new privileges" 1 "$(status "$pid" NoNewPrivs)"
	check_eq "$room: system calls are filtered" 2 \
	    "$(status "$pid" Seccomp)"
}
no_network() {
	check_eq "$1: header: network" none "$(header "$1" Network)"
	check_eq "$1: a network namespace with a downed loopback" "lo:" \
	    "$(awk 'NR > 2 { print $1 }' "/proc/$2/net/dev")"
}

warden=$(child wfsup-warden)
stays_root warden "$warden" KILL
no_network warden "$warden"
check_eq "warden: its root is /proc" /proc "$(readlink "/proc/$warden/root")"
check_eq "warden: has few descriptors: with the cgroups of jails" "" \
    "$(ls -l "/proc/$warden/fd" | awk 'NR > 1 { print $NF }' |
    grep -vE '^(socket:|anon_inode:|/dev/null$|pipe:)|/log$|/wfsup\.')"
calls=$(sed -n '/^static const int.*allowed/,/^};/p' "$top/warden/rights.c" |
    grep -o 'SCMP_SYS(' | wc -l)
check "warden: $calls system calls are allowed, at most 40" \
    test "$calls" -gt 0 -a "$calls" -le 40

launcher=$(child wfsup-launcher)
stays_root launcher "$launcher" SETUID SETGID
check_eq "launcher: has few descriptors: with the cgroups and the rooms' users" \
    "" "$(ls -l "/proc/$launcher/fd" | awk 'NR > 1 { print $NF }' |
    grep -vE '^(socket:|anon_inode:|/dev/null$|pipe:|user:)|/log$|/wfsup\.')"

reader=$(child wfsup-reader)
check_eq "reader: header: capabilities" "none, bounding set empty" \
    "$(header reader Capabilities)"
for cap in CapInh CapPrm CapEff CapBnd CapAmb; do
	check_eq "reader: $cap" 0000000000000000 "$(status "$reader" $cap)"
done
check_eq "reader: runs as root" "0 0 0 0" "$(status "$reader" Uid)"
check_eq "reader: no supplementary groups" "" \
    "$(status "$reader" Groups | tr -d ' ')"
check_eq "reader: no new privileges" 1 "$(status "$reader" NoNewPrivs)"
check_eq "reader: system calls are filtered" 2 "$(status "$reader" Seccomp)"
check_eq "reader: nothing that it sees can be written" "" \
    "$(awk '$6 !~ /^ro(,|$)/ { print $5 }' "/proc/$reader/mountinfo" |
    tr '\n' ' ')"
check_eq "reader: has few descriptors" "" "$(ls -l "/proc/$reader/fd" |
    awk 'NR > 1 { print $NF }' |
    grep -vE '^(socket:|anon_inode:|/dev/null$|pipe:)|/log$')"

mounter=$(child wfsup-mounter)
stays_root mounter "$mounter" SYS_ADMIN
no_network mounter "$mounter"
check_eq "mounter: has few descriptors" "" "$(ls -l "/proc/$mounter/fd" |
    awk 'NR > 1 { print $NF }' |
    grep -vE '^(socket:|anon_inode:|/dev/null$|pipe:)|/log$')"
check_eq "one child has SYS_ADMIN" 1 "$(pgrep -P "$daemon" | while read -r p
    do status "$p" CapEff; done | grep -c "$(mask SYS_ADMIN)")"

# An errand lives for a moment: hold one that has not been told what to do.
errand=$(/usr/bin/python3 - "$top/${B:-build}/bin/wfsup-errand" <<'END'
import os, socket, subprocess, sys, time
a, b = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
p = subprocess.Popen([sys.argv[1], "-u", "5001", "-g", "5002"],
    close_fds=False, preexec_fn=lambda: os.dup2(b.fileno(), 3))
for _ in range(100):
    text = open("/proc/%d/status" % p.pid).read()
    if "Seccomp:\t2" in text:
        break
    time.sleep(0.05)
print(text)
p.kill()
END
)
field() { awk -v k="$1:" '$1 == k { $1 = ""; sub(/^ /, ""); print }' \
    <<<"$errand" | tr '\t' ' '; }
check_eq "errand: header: capabilities" none "$(header errand Capabilities)"
check_eq "errand: runs as whom it was told" "5001 5001 5001 5001" "$(field Uid)"
check_eq "errand: and of that group" "5002 5002 5002 5002" "$(field Gid)"
check_eq "errand: no supplementary groups" "" "$(field Groups | tr -d ' ')"
for cap in CapInh CapPrm CapEff CapAmb; do
	check_eq "errand: $cap" 0000000000000000 "$(field $cap)"
done
check_eq "errand: no new privileges" 1 "$(field NoNewPrivs)"
check_eq "errand: system calls are filtered" 2 "$(field Seccomp)"

for s in script tool; do
	pid=$(child wfsup-$s)
	check "$s starter: a user namespace of its own" test \
	    "$(readlink "/proc/$pid/ns/user")" != \
	    "$(readlink "/proc/$daemon/ns/user")"
	want=$(header jail/$s Capabilities "The starter" |
	    sed 's/, all in.*//')
	check_eq "$s starter: capabilities, in it" "$(mask "$want")" \
	    "$(status "$pid" CapEff)"
	check_eq "$s starter: nobody outside of it" 0 "$(awk '$2 < 100000' \
	    "/proc/$pid/uid_map" | wc -l)"
	check_eq "$s starter: system calls are filtered" 2 \
	    "$(status "$pid" Seccomp)"
done
check_eq "script starter: its root is empty" "" \
    "$(ls -A "/proc/$(child wfsup-script)/root/")"
finish

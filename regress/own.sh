# An instance that the test starts, stops and starts again itself, on one
# state. Sourced after lib.sh, in the top directory. T is a directory that
# goes with the test.

bin=$PWD/${B:-build}/bin
export PATH=$bin:$PATH
T=$(mktemp -d)
chmod 711 "$T"
export T WFSUP_CONTROL=$T/control.sock
daemon= own_pids=
own_end() {
	[ -z "$daemon" ] || kill -KILL "$daemon" 2>/dev/null
	rm -rf "$T"
}
trap own_end EXIT
trap 'exit 143' TERM INT HUP

# own_conf [LINE]...: write the configuration; LINE may take its log elsewhere.
own_conf() {
	(umask 077 && cat >"$T/wfsupd.conf" <<-END2
	state directory "$T/state"
	control socket "$T/control.sock"
	user broker 61001
	user keeper 61002
	user gateway 61003
	user sandbox 61004
	jail ids $((1879048192 + ($$ % 8192) * 131072))
	profile all {
		verbs { "*" }
		tools { "*" }
		models { "*" }
		agents { "*" }
	}
	allow user 0 profile all
	END2
	printf '%s\n' "${@:-log stderr}" >>"$T/wfsupd.conf")
}

# own_start [OPTION]...: returns when it answers, or 1.
own_start() {
	setsid wfsupd -f "$T/wfsupd.conf" "$@" >>"$T/log" 2>&1 </dev/null &
	daemon=$!
	own_pids="$own_pids $daemon"
	for _ in $(seq "$(slow 100)"); do
		wfsupctl version >/dev/null 2>&1 && return 0
		kill -0 "$daemon" 2>/dev/null || return 1
		sleep 0.1
	done
	return 1
}

# own_stop [SIGNAL]: own_status has how it ended.
own_stop() {
	kill "-${1:-TERM}" "$daemon"
	for _ in $(seq "$(slow 150)"); do
		kill -0 "$daemon" 2>/dev/null || break
		sleep 0.1
	done
	kill -KILL "$daemon" 2>/dev/null && echo "it did not stop in $(slow 15) s"
	wait "$daemon" 2>/dev/null
	own_status=$?
	daemon=
}

# room NAME: the process id of wfsup-NAME.
room() {
	ps -o pid=,args= --ppid "$daemon" |
	    awk -v n="/wfsup-$1 " 'index($0 " ", n) { print $1; exit }'
}

# What is left of the instances: processes, cgroups, mounts, the socket.
own_left() {
	ps ax -o pid=,args= | grep -F "$T/wfsupd.conf" | grep -v grep
	for pid in $own_pids; do
		find /sys/fs/cgroup -maxdepth 4 -type d -name "wfsup.$pid"
	done
	grep -F "$T" /proc/self/mountinfo
	ls "$T/control.sock" 2>/dev/null
}

#!/bin/bash
# A socket between two rooms breaks although both live, as when one of them
# drops the other: the room at its end starts afresh, and the run completes.
. "$(dirname "$0")/../lib.sh"
if [ "${1:-}" != inside ]; then
	exec "$(dirname "$0")/../../etc/scratch" -- bash "$0" inside
fi
cd "$WFSUP_SCRATCH" || exit 1
daemon=$(cat pid)

child() { pgrep -P "$daemon" -x "$1" | head -1; }

# sever PID: shut down its sockets but those to the supervisor and the log.
sever() {
	/usr/bin/python3 - "$1" <<'END'
import ctypes, os, socket, sys
pid = int(sys.argv[1])
libc = ctypes.CDLL(None, use_errno=True)
pidfd = os.pidfd_open(pid)
for n in map(int, os.listdir("/proc/%d/fd" % pid)):
    link = os.readlink("/proc/%d/fd/%d" % (pid, n))
    if n <= 4 or not link.startswith("socket:"):
        continue
    fd = libc.syscall(438, pidfd, n, 0)         # pidfd_getfd
    if fd == -1:
        sys.exit(os.strerror(ctypes.get_errno()))
    socket.socket(fileno=fd).shutdown(socket.SHUT_RDWR)
END
}

cat >long.py <<'END'
for i in range(80):
    await sleep(0.1)
return await agent("say hello")
END
for room in keeper gateway; do
	timeout 60 wfsupctl run --json long.py >out 2>err &
	run=$!
	sleep 0.5
	before=$(child "wfsup-$room") broker=$(child wfsup-broker)
	if ! sever "$before" 2>why; then
		skip "$room: its socket breaks: $(tail -1 why)"
		wait "$run"
		continue
	fi
	sleep 2
	check_eq "$room: waits a while for a new socket" "$before" \
	    "$(child "wfsup-$room")"
	wait "$run"
	check_eq "$room: its socket breaks, and the run completes" 0 "$?"
	after=$(child "wfsup-$room")
	check "$room: has been started afresh" \
	    test -n "$after" -a "$after" != "$before"
	check_eq "$room: the broker has not" "$broker" "$(child wfsup-broker)"
	check "$room: says why it ended" grep -q \
	    'socket to the broker broke, and none came in its place' log
done
finish

#!/bin/bash
# After many runs each process of the daemon has as many descriptors and
# children as before them, and not much more memory. WFSUP_RUNS says how many
# (make check has no time for more; 10000 is the number to try once), and
# WFSUP_RUNS_TOOLS how many more that have a sandbox.
. "$(dirname "$0")/../lib.sh"
runs=${WFSUP_RUNS:-200} tools=${WFSUP_RUNS_TOOLS:-10} flight=4
if [ "${1:-}" != inside ]; then
	exec "$(dirname "$0")/../../etc/scratch" -- bash "$0" inside
fi
here=$(cd "$(dirname "$0")" && pwd)
cd "$WFSUP_SCRATCH" || exit 1
daemon=$(cat pid)
echo 'return args["n"] * 2' >trivial.py
echo 'return (await tool("bash", command="echo hi"))["stdout"]' >tool.py

# many SCRIPT N: so many runs, some at once; the number that did not complete.
many() { /usr/bin/python3 "$here/constant.py" "$1" "$2" "$flight"; }

# look FILE: name, pid, descriptors, children and kilobytes of each process.
look() {
	local pid name
	for pid in $daemon $(ps -o pid= --ppid "$daemon"); do
		name=$(basename "$(ps -o args= -p "$pid" | cut -d' ' -f1)")
		echo "$name $pid $(find "/proc/$pid/fd" -mindepth 1 | wc -l)" \
		    "$(ps -o pid= --ppid "$pid" | wc -l)" \
		    "$(awk '/^VmRSS/ { print $2 }' "/proc/$pid/status")"
	done | sort >"$1"
}

# The names alone: a starter of script jails has a successor now and then.
names() { cut -d' ' -f1 "$1"; }

# Until nothing is in flight any more: the same twice, for a while at most,
# and no more processes than before.
settle() {
	for _ in $(seq "$(slow 40)"); do
		sleep 0.25
		look now
		cut -d' ' -f1-4 now >now.short
		cmp -s now.short last.short && { [ ! -e before ] ||
		    [ "$(names now)" = "$(names before)" ]; } && break
		mv now.short last.short
	done
	mv now "$1"
}

check_eq "runs to begin with: all complete" 0 \
    $(($(many trivial.py 40) + $(many tool.py 8)))
settle before
check_eq "$runs runs: all complete" 0 "$(many trivial.py "$runs")"
check_eq "$tools runs with a sandbox: all complete" 0 \
    "$(many tool.py "$tools")"
settle after
check_eq "the same processes are there" "$(names before)" "$(names after)"
# 512 bytes a run, and what an allocator may take on the way.
spare=$((4096 + (runs + tools) / 2))
while read -r name _ fds kids rss; do
	read -r _ _ fds0 kids0 rss0 < <(grep "^$name " before)
	echo "# $name: $rss0 kB before, $rss kB after"
	check_eq "$name: descriptors" "$fds0" "$fds"
	check_eq "$name: children" "$kids0" "$kids"
	# A sanitizer keeps what was freed, so that its use is found.
	if grep -q __asan_init "$(command -v wfsupctl)"; then
		skip "$name: memory: the sanitizer has its own"
	else
		check "$name: memory ($((rss - rss0)) kB more)" test \
		    $((rss - rss0)) -le "$spare"
	fi
done <after
check_eq "no sandbox is left" "" "$(ls state/sandboxes)"
finish

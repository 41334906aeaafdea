# What a system test in sh uses: ok, not_ok, skip, check; it prints a line a
# case, which the runner counts. Sourced with . "$(dirname "$0")/../lib.sh".

failures=0

ok() { echo "ok $*"; }
not_ok() { echo "not ok $*"; failures=$((failures + 1)); }
skip() { echo "skip $*"; }

# check WHAT COMMAND...: the case is ok if the command succeeds.
check() {
	local what=$1
	shift
	if "$@"; then ok "$what"; else not_ok "$what"; fi
}

# check_eq WHAT WANT GOT
check_eq() {
	if [ "$2" = "$3" ]; then
		ok "$1"
	else
		not_ok "$1: want '$2', got '$3'"
	fi
}

# A machine that is N times slower is told of with WFSUP_SLOW=N, a whole
# number: the runner's limits and what tests wait for at most grow with it.
# slow N: N units of time there.
slow() { echo $(($1 * ${WFSUP_SLOW:-1})); }

# timeout SECONDS COMMAND...: as timeout(1), but they grow like that.
timeout() {
	case $1 in
	*[!0-9]*) command timeout "$@" ;;
	*) command timeout "$(slow "$1")" "${@:2}" ;;
	esac
}

# small_disk DIRECTORY MEGABYTES: mount one of that size there. Sandboxes can
# be on it: before Linux 6.3 that is not so of tmpfs.
small_disk() {
	local release image=$1.image
	IFS=.- read -ra release < <(uname -r)
	if [ $((release[0] * 100 + release[1])) -ge 603 ]; then
		mount -t tmpfs -o "size=$2m" none "$1"
	else
		mke2fs -q -t ext4 -m 0 -O ^has_journal "$image" "$2m" \
		    >/dev/null 2>&1 && mount -o loop "$image" "$1" &&
		    rmdir "$1/lost+found"
		rm -f "$image"
	fi && chmod 711 "$1"
}

finish() { exit $((failures != 0)); }

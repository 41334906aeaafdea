#!/bin/bash
# The daemon starts only where canaries of both kinds of jail fail at all that
# they attempt, and says why it does not: with a starter that leaves a layer
# out, or whose jails can't be made, in the place of the real one.
. "$(dirname "$0")/../lib.sh"
cd "$(dirname "$0")/../.." || exit 1
. regress/own.sh

cp "$bin"/wfsup* "$T" && mkdir "$T/bin" && mv "$T"/wfsup* "$T/bin" || exit 1
chmod 711 "$T/bin"
PATH=$T/bin:$PATH
own_conf

# refused WHAT KIND TESTS WAY TEXT: the start with such a starter ends with 1
# and says TEXT.
refused() {
	local what=$1 starter=$T/bin/wfsup-$2
	cp -f "${B:-build}/regress/$3/ways_test" "$starter"
	chmod 755 "$starter"
	echo "$4" >"$starter.way"
	timeout 60 wfsupd -f "$T/wfsupd.conf" >"$T/log" 2>&1 &
	daemon=$!
	wait "$daemon"
	check_eq "$what: no daemon" 1 $?
	check "$what: it says so" grep -q "$5" "$T/log"
	grep -q "$5" "$T/log" || tail -20 "$T/log"
	check "$what: it never was ready" \
	    sh -c "! grep -q 'daemon.start outcome=ok' '$T/log'"
	check_eq "$what: nothing is left" "" "$(own_left
	    pgrep -f "^$T/bin/")"
	daemon=
	cp -f "$bin/wfsup-$2" "$starter"
	rm -f "$starter.way"
}

for kind in script tool; do
	dir=escape
	[ $kind != tool ] || dir=tool_escape
	refused "a $kind jail without its filter" $kind $dir \
	    "all but the filter" "a $kind jail can do this: netlink socket"
	# On a busy machine it is dead before the warden looks at it.
	refused "a $kind jail with its filter alone" $kind $dir \
	    "the filter alone" \
	    "a canary $kind jail could not be made\|a $kind jail can do this"
	refused "a $kind jail that can't be made" $kind $dir \
	    "fail capabilities" "a canary $kind jail could not be made"
done
refused "a tool jail without limits" tool tool_escape "all but limits" \
    "a tool jail can do this: mlock"
refused "a script jail with descriptors left" script escape \
    "all but descriptors" "a script jail can do this: descriptors"

# With the real ones all is well, and doctor says of how many.
own_start -v
check "the real jails hold" wfsupctl version
wfsupctl doctor >"$T/doctor"
for kind in script tool; do
	check "doctor tells of the attempts at $kind jails" grep -qE \
	    "^ok +canary.* [1-9][0-9]+ attempts to escape from a $kind jail" \
	    "$T/doctor"
	check "-v says how one was met, and what closes it" grep -qE \
	    "a $kind jail can't do this: mount: .*closed by filter, no cap" \
	    "$T/log"
done
check_eq "the canaries have left no sandbox" "" "$(ls "$T/state/sandboxes")"
own_stop
check_eq "nothing is left" "" "$(own_left)"
finish

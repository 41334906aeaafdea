#!/bin/bash
# make check-vm's own part: each test gets a guest, what they said is summed
# up, and a guest that breaks is a failure. The guests are a script that plays
# vmrun.
. "$(dirname "$0")/../lib.sh"
cd "$(dirname "$0")/../.." || exit 1
command -v make >/dev/null || { skip "check-vm: there is no make"; finish; }
T=$(mktemp -d)
trap 'rm -rf "$T"' EXIT
trap 'exit 143' TERM INT HUP

# Its last word is the test; the tree that it gets must have what was built.
cat >"$T/vmrun" <<'END'
#!/bin/bash
test=${!#}
[ "$test" != --build-only ] || exit "${FAKE_BUILD:-0}"
while [ "$1" != -- ]; do
	case $1 in
	--copy-in) tree=$2 ;;
	--copy-out) log=$2 ;;
	--timeout) limit=$2 ;;
	esac
	shift
done
[ -x "$tree/root/usr/sbin/wfsupd" ] && [ -e "$tree/regress/vm/guest" ] || exit 99
now() { find "$FAKE" -name 'now.*' | wc -l; }
mkdir "$FAKE/now.$$"
# The first ones wait for as many as there should be, and see one more.
for _ in $(seq 100); do
	[ "$(now)" -lt "$VM_JOBS" ] && [ ! -e "$FAKE/most" ] || break
	sleep 0.1
done
sleep 0.2
now >>"$FAKE/most"
rmdir "$FAKE/now.$$"
echo "$test $limit" >>"$FAKE/tests"
case $test in
tool/text_test) echo "vmrun: timed out" >&2; exit 124 ;;
tool/toll_test)
	mkdir "$log"
	echo "3 passed, 1 failed, 2 skipped"
	exit 1 ;;
jail/*) touch "$FAKE/waits"; exec sleep 60 ;;
*) echo "$test 5 passed"; echo "5 passed, 0 failed, 0 skipped" ;;
esac
END
chmod 755 "$T/vmrun"
export FAKE=$T VMRUN=$T/vmrun TMPDIR=$T

# vm JOBS NAME...: what check says.
vm() {
	local jobs=$1
	shift
	rm -f "$T/most" "$T/tests"
	VM_JOBS=$jobs WFSUP_SLOW=2 regress/vm/check "$@" >"$T/out" 2>&1
}
last() { tail -n 1 "$T/out"; }

vm 1 tool/ escape/canary_test
check_eq "one that fails, one whose guest breaks: exit 1" 1 $?
check_eq "what they said is summed up" "18 passed, 2 failed, 2 skipped" \
    "$(last)"
check "a guest that breaks is told of" grep -q \
    '^not ok tool/text_test: its guest ended with status 124$' "$T/out"
check "with what it said" grep -q '^vmrun: timed out$' "$T/out"
check "and where there is more of one that failed" \
    grep -q '^    more: .*/tool-toll_test.d$' "$T/out"
check_eq "each test has one guest, with time for it" \
    "$(WFSUP_SLOW=2 regress/run -l tool/ escape/canary_test |
    awk '{ print $1, $2 + 120 }')" "$(cat "$T/tests")"
check_eq "one at a time" 1 "$(sort -n "$T/most" | tail -n 1)"

vm 2 escape/canary_test escape/peer_test
check_eq "all pass: exit 0" 0 $?
check_eq "and their numbers" "15 passed, 0 failed, 0 skipped" "$(last)"
check_eq "two at a time" 2 "$(sort -n "$T/most" | tail -n 1)"
vm 0 tool/
check_eq "no guest at a time: exit 2" 2 $?
vm 1 no/such
check_eq "no such test: exit 2" 2 $?
check "it says so" grep -q 'no test.*no/such' "$T/out"
FAKE_BUILD=125 vm 1 tool/
check_eq "a guest that can't be made: exit 125" 125 $?

VM_JOBS=2 regress/vm/check jail/ >"$T/out" 2>&1 &
pid=$!
for _ in $(seq "$(slow 100)"); do
	[ ! -e "$T/waits" ] || break
	sleep 0.1
done
kill "$pid"
wait "$pid"
check_eq "it is ended: exit 143" 143 $?
check_eq "no guest is left" "" "$(pgrep -f "$T/vmrun")"
check_eq "nor its tree" "" "$(find "$T" -mindepth 1 -name 'tmp.*')"
finish

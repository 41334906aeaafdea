#!/bin/bash
# The runner of the tests: what it prints whatever runs beside what, who runs
# alone, what counts as a failure, and that nothing goes on when it is ended.
. "$(dirname "$0")/../lib.sh"
cd "$(dirname "$0")/../.." || exit 1
T=$(mktemp -d)
trap 'rm -rf "$T"' EXIT
export T
mkdir -p "$T/regress/a" "$T/regress/system" "$T/build/regress/a"
cp regress/run "$T/regress"
unset WFSUP_GUEST
# What the runner of this very test has given it.
export B=build WFSUP_SLOW=1

# fake NAME: a test in C, which is what standard input says.
fake() {
	: >"$T/regress/a/$1_test.c"
	{ echo '#!/bin/bash'; cat; } >"$T/build/regress/a/$1_test"
	chmod 755 "$T/build/regress/a/$1_test"
}
fake alone <<'END'
[ -e "$T/slow.ended" ] && echo ok the others have ended
END
# It waits for its neighbour, which comes after it in the list.
fake slow <<'END'
echo ok first
for _ in $(seq 100); do [ -e "$T/neighbour" ] && break; sleep 0.1; done
[ -e "$T/neighbour" ] && echo ok beside || echo not ok beside
touch "$T/slow.ended"
END
fake then <<'END'
touch "$T/neighbour"
echo ok then
echo skip this: a reason
END
fake wrong <<'END'
echo ok one
echo why
exit 3
END
fake mute <<'END'
true
END
echo 'a/alone_test	its neighbours are looked for' >"$T/regress/alone"

WFSUP_JOBS=2 "$T/regress/run" >"$T/out" 2>&1
check_eq "a failure is its exit status" 1 $?
check_eq "in the order of the list, who is alone at the end, a summary last" \
    "a/mute_test a/slow_test a/then_test a/wrong_test a/alone_test 5 passed, 2 failed, 1 skipped" \
    "$(sed -n 's/^\(a[^ ]*\) .*/\1/p; $p' "$T/out" | paste -sd' ')"
check "two at a time" grep -q '^a/slow_test .* s    2 passed$' "$T/out"
check "what it says for it is shown" grep -q '^    | why$' "$T/out"
check "an exit status that nobody has told of is a failure" \
    grep -q '^    not ok a/wrong_test: exit status 3, 1 cases$' "$T/out"
check "so is silence" \
    grep -q '^    not ok a/mute_test: exit status 0, 0 cases$' "$T/out"
check "a skip is shown with its reason" \
    grep -q '^    skip this: a reason$' "$T/out"
check_eq "the log has each test whole" "ok first ok beside" \
    "$(sed -n '/^== a.slow_test/,/^==/p' "$T/build/regress.log" |
	grep -v ^== | paste -sd' ')"

"$T/regress/run" -x a/then_test >"$T/out"
check_eq "one that is named, and well" "0 1 passed, 0 failed, 1 skipped" \
    "$? $(tail -1 "$T/out")"

fake slow <<'END'
trap '' INT
echo $$ >"$T/pid"
exec sleep 1000
END
"$T/regress/run" slow >"$T/out" 2>&1 &
runner=$!
for _ in $(seq 100); do [ -s "$T/pid" ] && break; sleep 0.1; done
kill -TERM "$runner"
wait "$runner"
check_eq "it is ended" 143 $?
check "and what it ran with it" \
    sh -c "! kill -0 $(cat "$T/pid") 2>/dev/null"

for jobs in 0 x -1 100; do
	WFSUP_JOBS=$jobs "$T/regress/run" >"$T/out" 2>&1
	check_eq "WFSUP_JOBS=$jobs is refused" 2 $?
done
echo 'a/gone_test	it was here' >>"$T/regress/alone"
"$T/regress/run" >"$T/out" 2>&1
check_eq "a test that is to be alone and is not there: refused" \
    "2 regress/run: regress/alone: there is no test a/gone_test" \
    "$? $(cat "$T/out")"
finish

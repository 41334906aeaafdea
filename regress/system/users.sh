#!/bin/bash
# Users and what they may: two who can't see each other's runs, one of a
# group, one without a profile; a workspace that only its owner can read.
. "$(dirname "$0")/../lib.sh"
if [ "${1:-}" != inside ]; then
	conf=$(mktemp)
	cat >"$conf" <<-'END'
	profile users {
		verbs { run list show result follow cancel scopes }
		tools { read bash }
	}
	profile group {
		verbs { list }
	}
	profile none {
	}
	allow user 5001 profile users
	allow user 5002 profile users
	allow group 5050 profile group
	allow user 5003 profile none
	END
	"$(dirname "$0")/../../etc/scratch" -c "$conf" -- bash "$0" inside
	status=$?
	rm -f "$conf"
	exit "$status"
fi

cd "$WFSUP_SCRATCH" || exit 1
install -m 755 "$(command -v wfsupctl)" ctl
# as UID[:GROUP] COMMAND...
as() {
	local uid=${1%%:*} groups=--clear-groups
	[ "$uid" = "$1" ] || groups=--groups=${1#*:}
	shift
	setpriv --reuid "$uid" --regid "$uid" "$groups" "$@"
}
text() { grep -o "\"$1\":\"[^\"]*\"" | head -1 | cut -d'"' -f4; }

echo 'return args["x"]' >script.py
chmod 644 script.py
one=$(as 5001 ./ctl run --json --args '{"x": 7}' script.py 2>/dev/null)
check_eq "a user runs a script" 7 "$(printf '%s' "$one" |
    grep -o '"result":7' | cut -d: -f2)"
run=$(printf '%s' "$one" | text run)

as 5001 ./ctl list --json | grep -q "$run"
check "its owner sees it in the list" test $? -eq 0
as 5002 ./ctl list --json | grep -q "$run"
check "another user does not" test $? -ne 0
for cmd in show result log follow cancel; do
	out=$(as 5002 ./ctl "$cmd" --json "$run" 2>&1)
	check_eq "another user's $cmd fails as for a run that is not there" 2 $?
	other=$(as 5002 ./ctl "$cmd" --json 0000000000000000 2>&1)
	check_eq "with the same words ($cmd)" \
	    "$(echo "$other" | sed 's/0000000000000000/RUN/g')" \
	    "$(echo "$out" | sed "s/$run/RUN/g")"
done
as 5002 ./ctl list --all --json >/dev/null 2>&1
check_eq "list --all is refused to a user" 7 $?
./ctl list --all --json | grep -q "$run"
check "an administrator sees it" test $? -eq 0
./ctl show --json "$run" >/dev/null
check "and looks into it" test $? -eq 0

out=$(as 5003 ./ctl run --json script.py 2>/dev/null)
check_eq "a profile without verbs may nothing" 7 $?
out=$(as 5004:5050 ./ctl list 2>&1)
check_eq "a member of the group may what the group may" 0 $?
out=$(as 5004:5050 ./ctl run --json script.py 2>/dev/null)
check_eq "and no more" 7 $?
check "the refusal names what would allow it" \
    grep -q 'verbs' <<<"$out"

mkdir -m 700 mine
echo secret >mine/a
chmod 600 mine/a
chown -R 5001:5001 mine
cat >ws.py <<'END'
out = await tool("bash", command="cat a; echo more > b; ls -ln a b")
return out["stdout"]
END
chmod 644 ws.py
out=$(as 5001 ./ctl run --json --workspace mine ws.py 2>/dev/null)
check "a workspace that only its owner can read is readable in the jail" \
    grep -q secret <<<"$out"
check "and is unchanged" test ! -e mine/b
out=$(as 5002 ./ctl run --json --workspace mine ws.py 2>/dev/null)
check_eq "another user can't give it to a run" 2 $?
# root's files are no business of a user's jail.
mkdir -m 755 shared
(umask 077 && echo rootsecret >shared/a)
out=$(as 5001 ./ctl run --json --workspace shared ws.py 2>/dev/null)
check "a file that its user can't read can't be read by the run" \
    grep -q 'Permission denied\|"stdout":""\|No such\|"result":"[^"]*b' \
    <<<"$out"
grep -q rootsecret <<<"$out"
check "and its content is not there" test $? -ne 0

grep -q "event=admin.*outcome=deny.*uid=\"5003\"" log
check "the denial is in the audit log, with the user" test $? -eq 0
finish

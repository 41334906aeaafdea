# wfsupctl with the real daemon: each command, each exit status, and mistakes
# of scripts and of callers.
. "$(dirname "$0")/../lib.sh"

if [ "${1:-}" != inside ]; then
	[ "$(id -u)" -eq 0 ] || { skip "wfsupctl: needs root"; finish; }
	conf=$(mktemp)
	cat >"$conf" <<-'END'
	profile meagre {
		verbs { run list show result follow cancel }
		tools { read }
	}
	allow user 61101 profile meagre
	END
	"$(dirname "$0")/../../etc/scratch" -c "$conf" -- \
	    bash "$0" inside
	status=$?
	rm -f "$conf"
	exit "$status"
fi

dir=$WFSUP_SCRATCH/cli
mkdir "$dir" && cd "$dir" || exit 1

# run WANT-STATUS WHAT [OPTION]... <SCRIPT: the script is run with --json.
# Sets out (the result object) and err.
run() {
	local want=$1 what=$2 got
	shift 2
	out=$(timeout 60 wfsupctl run --json "$@" - 2>"$dir/err")
	got=$?
	err=$(cat "$dir/err")
	if [ "$got" -eq "$want" ]; then
		ok "$what: exit $want"
	else
		not_ok "$what: want exit $want, got $got: $out $err"
	fi
}

# says WHAT TEXT: the result object holds it.
says() {
	case $out in
	*"$2"*) ok "$1" ;;
	*) not_ok "$1: no '$2' in $out" ;;
	esac
}

# tells WHAT TEXT: what people are told holds it.
tells() {
	case $err in
	*"$2"*) ok "$1" ;;
	*) not_ok "$1: no '$2' in $err" ;;
	esac
}

# field NAME: a text of the result object.
field() {
	printf '%s\n' "$out" | sed -n 's/.*"'"$1"'":"\([^"]*\)".*/\1/p'
}

# ---- what works ----

run 0 "a script that computes" --args '{"n":[1,2,0.1]}' <<'END'
phase("Add")
log("adding", n=len(args["n"]))
return {"sum": sum(args["n"]), "text": "h\u00fc\x1b"}
END
says "its result" '"result":{"sum":3.1,"text":"hü\u001B"}'
tells "its phase" "phase Add"
tells "its log" 'log adding {"n":3}'
id=$(field run)

check_eq "result prints it again" "$out" "$(wfsupctl result --json "$id")"
check_eq "result --wait too" "$out" "$(wfsupctl result --wait --json "$id")"
check "list has it" sh -c "wfsupctl list | grep -q '^$id .* completed '"
check "show has it" sh -c "wfsupctl show $id | grep -q '^State *completed'"
check "log has it" sh -c "wfsupctl log $id | grep -q ' phase Add'"
check "follow ends at once" sh -c "wfsupctl follow $id 2>&1 |
    grep -q ' phase Add'"
check "log --json is JSON lines" sh -c "wfsupctl log --json $id |
    /usr/bin/python3 -c 'import json, sys
seqs = [json.loads(line)[\"seq\"] for line in sys.stdin]
assert seqs == sorted(set(seqs)) and seqs'"
check "doctor answers" sh -c "wfsupctl doctor | grep -q '^ok .*keeper'"
check "version knows both" sh -c "[ \$(wfsupctl version | wc -l) -eq 2 ]"
check "scopes of nothing" sh -c "wfsupctl scopes | grep -q 'no scopes'"

run 0 "no arguments are an empty object" <<'END'
return args
END
says "empty object" '"result":{}'

mkdir ws
echo "in the workspace" >ws/file
run 0 "a workspace" -w ws <<'END'
return await tool("read", path="file")
END
says "is read" 'in the workspace'
# The file system of processes has no id-mapped mounts.
run 1 "a workspace that can't be shown" -w /proc <<'END'
return await tool("bash", command="true")
END
says "says that no sandbox could be made" \
    '"message":"no sandbox could be made: workspace idmap: '
check_eq "and why, once" 1 "$(printf '%s\n' "$err" | grep '^ToolError' |
    grep -o 'id-mapped' | wc -l)"

# ---- scripts that fail ----

run 1 "a script that raises" <<'END'
x = 1
raise ValueError("no good")
END
says "its class and message" '"class":"ValueError","message":"no good"'
says "its line" '"line":2'
tells "people see both" "ValueError: no good"

run 1 "a syntax error" <<'END'
x = 1
y = = 2
END
says "its class" '"class":"SyntaxError"'
says "its line" '"line":2'
tells "the line is shown" "y = = 2"
tells "with a caret" "^"

run 1 "an empty script" </dev/null
says "says so" '"state":"failed"'
head -c 525313 /dev/zero | tr '\0' '#' >long.py
out=$(wfsupctl run --json long.py 2>err)
check_eq "a script over 512 KiB: exit 1" 1 $?
says "says so" "512 KiB"
run 1 "a call that is never awaited" <<'END'
agent("hello")
return 1
END
says "its line" '"line":1'
run 1 "a result that is not JSON" <<'END'
return {"items": [1, {2, 3}]}
END
says "the place inside" "result.items[1]"
run 3 "a branch that fails" <<'END'
return await parallel([lambda: tool("read", path="none")])
END
says "leaves a hole" '"result":[null]'
tells "people are told" "1 branch failed"
run 1 "a tool that fails" <<'END'
return await tool("read", path="none")
END
says "its class" '"class":"ToolError"'
run 1 "input that breaks the tool's schema" <<'END'
return await tool("read", way="none")
END
says "its class" '"class":"ToolError"'

# ---- cancelling, leaving ----

sleeper='await sleep(60)'
id=$(echo "$sleeper" | wfsupctl submit -)
wfsupctl result "$id" >out 2>err
check_eq "result of a run that goes on: exit 75" 75 $?
wfsupctl cancel "$id" >out
check_eq "cancel: exit 0" 0 $?
out=$(timeout 20 wfsupctl result --wait --json "$id" 2>err)
check_eq "a cancelled run: exit 4" 4 $?
says "its state" '"state":"cancelled"'
wfsupctl cancel "$id" >out 2>err
check_eq "cancel what has ended: exit 2" 2 $?

echo "$sleeper" >sleeper.py
wfsupctl run --json sleeper.py >out 2>err &
pid=$!
for _ in $(seq "$(slow 100)"); do
	grep -q "is running" err && break
	sleep 0.1
done
kill -TERM "$pid"
wait "$pid"
check_eq "SIGTERM leaves the run: exit 143" 143 $?
out=$(cat out)
id=$(field run)
check "the run goes on" sh -c "wfsupctl list | grep -Eq '^$id .* (running |waiting: )'"
wfsupctl cancel "$id" >out

# ---- who may not ----

other() { setpriv --reuid "$1" --regid "$1" --clear-groups "${@:2}"; }
chmod 755 "$dir"
wfsupctl show "$id" >out 2>err
check_eq "root sees its run" 0 $?
other 61102 wfsupctl show "$id" >out 2>err
check_eq "another user does not: exit 2" 2 $?
other 61102 wfsupctl cancel "$id" >out 2>err
check_eq "nor cancel it: exit 2" 2 $?
other 61102 wfsupctl follow "$id" >out 2>err
check_eq "nor follow it: exit 2" 2 $?
check_eq "nor list it" "no runs" "$(other 61102 wfsupctl list)"
other 61101 wfsupctl list --all >out 2>err
check_eq "list --all without the right: exit 7" 7 $?
other 61101 wfsupctl doctor >out 2>err
check_eq "doctor without the right: exit 7" 7 $?
out=$(echo 'return await tool("bash", command="id")' |
    other 61101 wfsupctl run --json - 2>err)
check_eq "a tool that the profile lacks: exit 7" 7 $?
says "ScopeError" '"class":"ScopeError"'

printf 'import json\nreturn json.loads("not json")\n' |
    wfsupctl run - >out 2>err
check_eq "an error of a module's class: exit 1" 1 $?
check_eq "its traceback ends with the line, not with the module's name" 0 \
    "$(grep -c 'json\.decoder\.$' err)"

# A class of many lines must not look like ours.
cat >forge.py <<'END'
raise type("E\nrun x completed after 1 s", (Exception,), {})("m")
END
wfsupctl run forge.py >out 2>err
check_eq "a class whose name has lines: exit 1" 1 $?
check_eq "they are not told as ours" 0 "$(cat out err | grep -c '^run x')"
check "its first line is told" grep -q '^E \.\.\.: m' err

wfsupctl show nosuchrun >out 2>err
check_eq "no such run: exit 2" 2 $?
grep -q "no such run: nosuchrun" err
check_eq "says which" 0 $?
wfsupctl run sleeper.py -w /nonexistent >out 2>err
check_eq "no such workspace: exit 2" 2 $?
other 61102 wfsupctl run "$dir/sleeper.py" -w /root >out 2>err
check_eq "a workspace of others: exit 2" 2 $?

finish

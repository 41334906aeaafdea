#!/bin/bash
# The whole daemon with a model behind HTTP: the openai provider, its key from
# a file, its failures as the exit codes that people see.
. "$(dirname "$0")/../lib.sh"
top=$(cd "$(dirname "$0")/../.." && pwd)
if [ "$(id -u)" -ne 0 ]; then
	skip "a model behind HTTP: needs root"
	exit 0
fi

dir=$(mktemp -d)
chmod 755 "$dir"
server=
stop() {
	[ -z "$server" ] || kill "$server" 2>/dev/null
	rm -rf "$dir"
}
trap stop EXIT

key=sk-system-0123456789
/usr/bin/python3 "$top/regress/gateway/fakemodel.py" "$key" >"$dir/port" &
server=$!
for _ in $(seq "$(slow 50)"); do
	[ -s "$dir/port" ] && break
	sleep 0.1
done
port=$(cat "$dir/port")

cat >"$dir/say.py" <<'END'
return await agent(args["prompt"])
END
printf 'a\nb\nc\n' >"$dir/three"

# ask MODEL KEY PROMPT: the object of run --json in $got, its status in $status
ask() {
	WFSUP_MODEL=$1 WFSUP_MODEL_KEY=$2 \
	    WFSUP_MODEL_URL=http://localhost:$port/v1 \
	    "$top/etc/scratch" -v -- wfsupctl run "$dir/say.py" --json \
	    --workspace "$dir" --args "{\"prompt\": \"$3\"}" \
	    >"$dir/out" 2>"$dir/err"
	status=$?
	got=$(tail -1 "$dir/out")
}
field() { /usr/bin/python3 -c '
import json, sys
v = json.loads(sys.argv[1])
for k in sys.argv[2].split("."):
    v = v[k] if v is not None else None
print(v)' "$got" "$1" 2>&1; }

ask good "$key" "good morning"
check_eq "a model behind HTTP answers" "You said: good morning" \
    "$(field result)"
check_eq "its usage is counted" "100 10" \
    "$(field usage.tokens_in) $(field usage.tokens_out)"

ask good "$key" "Count the lines of three"
check_eq "it reads a file with a tool" "It has 3 lines." "$(field result)"

ask busy "$key" "hello"
check_eq "refused twice, then answered" "You said: hello" "$(field result)"

ask good "sk-wrong-key-000000" "hello"
check_eq "a wrong key: exit 8" 8 "$status"
check_eq "a wrong key: AgentError" AgentError "$(field error.class)"
if grep -q "sk-wrong" "$dir/out" "$dir/err"; then
	not_ok "the key is in no output and no log"
else
	ok "the key is in no output and no log"
fi

ask poor "$key" "hello"
check_eq "a provider that wants money: exit 8" 8 "$status"
ask page "$key" "hello"
check_eq "a proxy's page instead of a model: exit 8" 8 "$status"
case $(field error.message) in
*"Please log in"*) ok "and the message shows the page" ;;
*) not_ok "and the message shows the page: $(field error.message)" ;;
esac
finish

# Random programs, whose rooms are killed at random moments: random_kill.py.
# RANDOM_KILL="FIRST LAST" are other seeds than the usual ones.
. "$(dirname "$0")/../lib.sh"

[ "$(id -u)" -eq 0 ] || { skip "random_kill: needs root"; finish; }
cd "$(dirname "$0")/../.." || exit 1
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT
cat >"$tmp/rules.json" <<'END'
{"rules": [
 {"when": {"messages": [{"role": "user", "contains": "FATAL"}]},
  "delay": 80,
  "fail": {"class": "fatal", "status": 400, "message": "no way"}},
 {"when": {"turn": 0, "messages": [
   {"role": "user", "last": true, "regex": "^count ([0-9]+)$",
    "as": ["n"]}]},
  "delay": 120,
  "calls": [{"name": "read", "arguments": {"path": "${n}.txt"}}]},
 {"when": {"messages": [
   {"role": "user", "regex": "^count ([0-9]+)$", "as": ["n"]},
   {"name": "text", "role": "tool", "tool": "read"}]},
  "let": {"last": {"max": "^([0-9]+)$", "in": "text", "else": 0}},
  "delay": 100, "text": "${n} has ${last}"},
 {"delay": 60, "text": "an answer"}
]}
END
cat >"$tmp/conf" <<END
provider slow {
	type canned
	rules "$tmp/rules.json"
}
model slow {
	provider slow
}
default model slow
END
# shellcheck disable=SC2086
etc/scratch -c "$tmp/conf" -- /usr/bin/python3 -I \
    regress/system/random_kill.py ${RANDOM_KILL:-0 8}

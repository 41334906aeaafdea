#!/bin/bash
# Every example runs on the canned model, and what the review says of a tree
# is true of it.
. "$(dirname "$0")/../lib.sh"
top=$(cd "$(dirname "$0")/../.." && pwd)
if [ "$(id -u)" -ne 0 ]; then
	skip "the examples: need root"
	exit 0
fi
if [ "${1:-}" != inside ]; then
	exec "$top/etc/scratch" -- bash "$0" inside
fi
dir=$WFSUP_SCRATCH/tree
mkdir -p "$dir/src" "$dir/regress" && cd "$WFSUP_SCRATCH" || exit 1

# run NAME ARGS: the object of run --json in $got, its status in $status
run() {
	got=$(wfsupctl run "$top/etc/examples/$1.py" --json --args "$2" \
	    --workspace "$dir" 2>/dev/null | tail -1)
	status=$?
}
# value EXPRESSION: of the result r
value() { /usr/bin/python3 -c '
import json, sys
v = json.loads(sys.argv[1])
r = v["result"]
print(eval(sys.argv[2]))' "$got" "$1" 2>&1; }

cat >"$dir/src/a.c" <<'END'
/*
 * Adds numbers: two of them.
 */
int
add(int a, int b)
{
	return (a + b);
}

int
main(void)
{
	char	buf[8];

	/* TODO: check the length */
	strcpy(buf, "1");
	if (add(1, 2) == -1)
		return (1);
	return (0);
}
END
printf '/* Nothing. */\n' >"$dir/src/b.c"
printf 'int x;\n' >"$dir/regress/c.c"

run hello '{"name": "Ada"}'
check_eq "hello: says hello" "Hello, Ada!" "$(value r)"
run fanout '{"words": "Good night", "languages": ["Dutch", "Greek"]}'
check_eq "fanout: a result for each branch" \
    "(Dutch) Good night,(Greek) Good night" "$(value '",".join(r.values())')"
run pipeline '{"subject": "rain"}'
check_eq "pipeline: three chapters, each measured" "7 6 7" \
    "$(value '" ".join(str(c["words"]) for c in r["chapters"])')"
run careful '{"file": "src/a.c"}'
check_eq "careful: two agents agree with the truth" "True True 20" \
    "$(value '"%s %s %d" % (r["agree"], r["right"], r["agents"][0])')"
run tools '{"pattern": "return"}'
check_eq "tools: what was written is read back" "3 1" \
    "$(value '"%d %d" % (r["matches"], r["files"])')"
check_eq "tools: the workspace stays as it was" "" \
    "$(ls "$dir" | grep report)"

# The script of README.md, as it is printed there.
sed -n 's/^	//p' "$top/README.md" | sed -n '/^meta = /,/^return /p' >count.py
printf 'a\nb\n' >"$dir/a.h"
printf 'c\n' >"$dir/b.h"
got=$(wfsupctl run count.py --json --workspace "$dir" 2>/dev/null)
check_eq "README: counts lines" "2 3" \
    "$(value '"%d %d" % (r["files"], r["lines"])')"
rm "$dir"/?.h

run review '{}'
check_eq "review: the files of the tree, not its tests" "2 21 2" \
    "$(value '"%d %d %d" % (r["files"], r["lines"], r["functions"])')"
check_eq "review: what a file says it is for" "Adds numbers" \
    "$(value 'r["about"]["src/a.c"]')"
check_eq "review: the longest function" "main 10" \
    "$(value '"%(name)s %(lines)d" % r["longest_functions"][0]')"
check_eq "review: what it found" "1 1 ['strcpy'] needs work" \
    "$(value '"%d %d %s %s" % (r["open_notes"], r["error_checks"],
	r["risky_calls"]["src/a.c"], r["verdict"])')"
run review '{"files": ["src/b.c", "src/no.c"]}'
check_eq "review: a file that is not there is a hole" \
    "completed_with_failures 1 ['src/no.c']" \
    "$(value '"%s %d %s" % (v["state"], len(v["failures"]),
	r["not_reviewed"])')"
case $got in
*"src/no.c can't be read"*) ok "review: and the reason is in the failures" ;;
*) not_ok "review: and the reason is in the failures: $got" ;;
esac
finish

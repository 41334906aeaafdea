# The language in a real jail, where there are no files, no sockets and no
# threads: modules, codecs, time, tracebacks, branches, races, a replay.
. "$(dirname "$0")/../lib.sh"

if [ "${1:-}" != inside ]; then
	[ "$(id -u)" -eq 0 ] || { skip "language: needs root"; finish; }
	"$(dirname "$0")/../../etc/scratch" -- bash "$0" inside
	exit $?
fi

dir=$WFSUP_SCRATCH/language
mkdir "$dir" "$dir/work" && cd "$dir" || exit 1

# result WHAT WANT <SCRIPT: the script's result as compact JSON.
result() {
	local out got
	out=$(timeout 60 wfsupctl run --json -w "$dir/work" - 2>"$dir/err")
	got=${out#*\"result\":}
	got=${got%%,\"error\":null*}
	check_eq "$1" "$2" "$got"
}

# fails WHAT CLASS LINE TEXT <SCRIPT: the run fails with that error.
fails() {
	local out
	out=$(timeout 60 wfsupctl run --json -w "$dir/work" - 2>"$dir/err")
	case $out in
	*"\"class\":\"$2\""*"$4"*"\"line\":$3,"*) ok "$1" ;;
	*) not_ok "$1: $out" ;;
	esac
}

result "every module on the list can be imported" '36' <<'END'
names = """abc asyncio base64 bisect cmath collections contextlib copy csv
dataclasses datetime decimal difflib enum fractions functools hashlib heapq
html io itertools json math operator random re statistics string struct
textwrap time typing unicodedata uuid html.parser collections.abc"""
return len([__import__(name) for name in names.split()])
END

result "no other one can" '["os","sys","socket","_jail","numpy"]' <<'END'
out = []
for name in ("os", "sys", "socket", "_jail", "numpy"):
    try: __import__(name)
    except ImportError as e: out.append(e.name)
return out
END

result "what C code imports for itself is there" \
    '["2020-02-03","fffe6100","78","α","d41d8cd9","0.3333","1e+300"]' <<'END'
import datetime, hashlib, decimal
return [str(datetime.datetime.strptime("2020-02-03", "%Y-%m-%d").date()),
        "a".encode("utf-16").hex(), "x".encode("idna").hex(),
        "\N{GREEK SMALL LETTER ALPHA}",
        hashlib.new("md5", b"").hexdigest()[:8],
        str(decimal.Decimal(1) / 3)[:6], f"{1e300:n}"]
END

result "there are no files to open, whatever the way" \
    '["RuntimeError","RuntimeError","PermissionError"]' <<'END'
import io
out = []
for way in (open, io.open, io.FileIO):
    try: way("/etc/passwd")
    except Exception as e: out.append(type(e).__name__)
return out
END

result "the time is UTC, and passes by events only" '[true,true,"UTC"]' <<'END'
import time
a = time.time()
for _ in range(100000): pass
b = time.time()
await sleep(0.05)
return [a == b, time.time() >= b + 0.05, time.strftime("%Z")]
END

result "tools, tasks, timeouts" \
    '["one\n",["a\n","b\n"],"late",{"k":"c\n","hole":null}]' <<'END'
import asyncio
async def echo(text):
    return (await tool("bash", command=f"echo {text}"))["stdout"]
one = await echo("one")
two = await asyncio.gather(echo("a"), echo("b"))
try:
    async with asyncio.timeout(0.05): await sleep(30)
except TimeoutError: late = "late"
three = await parallel({"k": echo("c"), "hole": tool("nothing")})
return [one, two, late, three]
END

result "3,000 nodes at once" '3000' <<'END'
return len(await parallel([sleep(0.001) for _ in range(3000)]))
END

fails "a bug in a helper has its line" KeyError 2 "'k'" <<'END'
def f(d):
    return d["k"]
f({})
END
fails "an error in a library has the script's line" JSONDecodeError 2 \
    Expecting <<'END'
import json
json.loads("{")
END
fails "an await that was forgotten" RuntimeError 2 \
    'agent() in line 2 was never awaited' <<'END'
x = 1
agent("hello")
END
fails "a result that isn't JSON" TypeError 1 \
    'result.items[1]: set is not JSON' <<'END'
return {"items": [0, {1}]}
END
fails "a wait that nothing can end" DeadlockError 2 'never happen' <<'END'
import asyncio
await asyncio.Event().wait()
END
fails "too deep a recursion" RecursionError 1 'maximum recursion' <<'END'
def f(): return f()
f()
END
fails "more memory than there is" MemoryError 1 'more memory' <<'END'
x = bytearray(2**33)
END

# A run that races, times out and rolls dice, while rooms are killed.
cat >race.py <<'END'
import asyncio, random, time
async def worker(n):
    out = []
    for i in range(12):
        try:
            async with asyncio.timeout(random.choice([0.05, 9])):
                await sleep(random.choice([0.02, 0.1]))
            out.append(i)
        except TimeoutError:
            out.append(time.time())
        log(f"worker {n} at {i}", dice=random.random())
    return len(out)
tasks = [asyncio.create_task(worker(n)) for n in range(4)]
won = []
while tasks:
    done, rest = await asyncio.wait(
        tasks, return_when=asyncio.FIRST_COMPLETED)
    for t in done: won.append(await t)
    tasks = list(rest)
return won
END
room() { ps -ax -o pid=,comm=,ppid= |
    awk -v r="$1" -v p="$(cat "$WFSUP_SCRATCH/pid")" '$2 == r && $3 == p {
    print $1 }'; }
timeout 120 wfsupctl run --json race.py >race.out 2>race.err &
for victim in wfsup-script wfsup-broker wfsup-keeper; do
	sleep 0.3
	kill -9 $(room $victim)
done
wait $!
check_eq "races decide again as they did, through three kills" 0 $?
check_eq "and all of them end" '"result":[12,12,12,12]' \
    "$(grep -o '"result":[^]]*]' race.out)"
check_eq "each log line is told once" 48 "$(grep -c 'worker' race.err)"

finish

# The language with the real daemon: scripts as models write them, right and
# wrong. What each leaves: exit status and fragments of the result object.
. "$(dirname "$0")/../lib.sh"

if [ "${1:-}" != inside ]; then
	[ "$(id -u)" -eq 0 ] || { skip "scripts: needs root"; finish; }
	tmp=$(mktemp -d)
	trap 'rm -rf "$tmp"' EXIT
	cat >"$tmp/rules.json" <<-'END'
	{"rules": [
	 {"when": {"messages": [{"role": "user", "contains": "FATAL"}]},
	  "fail": {"class": "fatal", "status": 400, "message": "no way"}},
	 {"when": {"messages": [{"role": "user", "contains": "SLOW"}]},
	  "delay": 5000, "text": "at last"},
	 {"when": {"messages": [{"role": "user", "contains": "DIM"}],
	  "offers": ["finish"]},
	  "calls": [{"name": "finish", "arguments": {"other": 1}}]},
	 {"when": {"messages": [{"role": "user", "contains": "OBJECT"}],
	  "offers": ["finish"]},
	  "calls": [{"name": "finish", "arguments": {"n": 1}}]},
	 {"when": {"messages": [{"role": "user", "contains": "ARRAY"}],
	  "offers": ["finish"]},
	  "calls": [{"name": "finish", "arguments": {"result": ["a", "b"]}}]},
	 {"when": {"messages": [{"role": "user", "contains": "NUMBER"}],
	  "offers": ["finish"]},
	  "calls": [{"name": "finish", "arguments": {"result": 7}}]},
	 {"text": "an answer"}
	]}
	END
	cat >"$tmp/conf" <<-END
	provider t {
		type canned
		rules "$tmp/rules.json"
	}
	model t {
		provider t
	}
	profile tight {
		verbs { run follow }
		tools { read }
		models { t }
		cpu 1
		memory 128M
		wall 30
	}
	allow user 61101 profile tight
	END
	"$(dirname "$0")/../../etc/scratch" -c "$tmp/conf" -- \
	    bash "$0" inside
	exit $?
fi

dir=$WFSUP_SCRATCH/scripts
mkdir "$dir" && cd "$dir" && chmod 755 "$dir" || exit 1

judge() {
	local want=$1 what=$2 got=$3 text
	shift 3
	[ "$got" -eq "$want" ] || {
		not_ok "$what: want exit $want, got $got: $out"
		return
	}
	for text; do
		case $out in
		*"$text"*) ;;
		*) not_ok "$what: no '$text' in $out"; return ;;
		esac
	done
	ok "$what"
}

# script WANT-STATUS WHAT [FRAGMENT]... <SCRIPT; options of run are in $with.
with=()
script() {
	out=$(timeout 60 wfsupctl run --json -q "${with[@]}" - 2>err)
	judge "$1" "$2" $? "${@:3}"
}

# tight, likewise, as a user with narrow limits.
tight() {
	out=$(timeout 60 setpriv --reuid 61101 --regid 61101 --clear-groups \
	    wfsupctl run --json -q - 2>err)
	judge "$1" "$2" $? "${@:3}"
}

# ---- where a script begins ----

script 0 "await and return at the top" '"result":"x"' <<'END'
await sleep(0.01)
return "x"
END
with=(-a '{"n":3}')
script 0 "main(args) is called" '"result":["0","1","4"]' <<'END'
N = args["n"]
async def square(i):
    return (await tool("bash", command=f"echo $(({i}*{i}))"))["stdout"].strip()
async def main(args):
    return await parallel([square(i) for i in range(N)])
END
with=()
script 1 "asyncio.run(main())" 'write `await main()`' '"line":4' <<'END'
import asyncio
async def main():
    return 1
asyncio.run(main())
END
script 1 "main() without its await" "main() in line 3 was never awaited" <<'END'
async def main(args):
    await sleep(0)
main(args)
END
script 0 "globals, helpers and classes" '"result":6' <<'END'
COUNT = 0
def more():
    global COUNT
    COUNT += 1
class Box:
    def get(self): return COUNT + 3
for i in range(3): more()
await sleep(0)
return Box().get()
END
script 0 "the last value of a loop's name" '"result":["2","2","0","1"]' <<'END'
late = [lambda: tool("bash", command=f"echo {i}") for i in range(3)][:2]
early = [lambda i=i: tool("bash", command=f"echo {i}") for i in range(2)]
return [r["stdout"].strip() for r in await parallel(late + early)]
END
script 0 "text in triple quotes is kept" '"result":"\n  in\n\ttab\n"' <<'END'
return """
  in
	tab
"""
END
script 0 "only meta" '"state":"completed","result":null' <<'END'
meta = {"name": "x", "description": "y"}
END
script 1 "a meta that runs" '"class":"SyntaxError"' "meta must be a literal" \
    '"line":1' <<'END'
meta = {"name": f"{1+1}"}
END
script 1 "only a comment" "the script is empty" <<'END'
# nothing
END
script 1 "another language" '"class":"SyntaxError"' '"line":1' '^' <<'END'
const x = await agent("hi");
END
script 1 "an indentation" '"class":"IndentationError"' '"line":2' '^' <<'END'
def f():
return 3
END
script 1 "await in a plain function" "'await' outside async function" \
    '"line":2' <<'END'
def f():
    return await agent("x")
return f()
END
script 1 "import *" "name what you import" '"line":1' <<'END'
from math import *
END

# ---- asyncio ----

script 0 "gather, TaskGroup, as_completed, wait, timeout" \
    '"result":[["1\n","2\n"],[0,1],[1,2,3],[1,1],"late"]' <<'END'
import asyncio
async def after(n):
    await sleep(n / 20)
    return n
async def same(n):
    return n
one = [r["stdout"] for r in await asyncio.gather(
    *(tool("bash", command=f"echo {i}") for i in (1, 2)))]
async with asyncio.TaskGroup() as group:
    tasks = [group.create_task(same(i)) for i in range(2)]
three = [await f for f in asyncio.as_completed(map(after, (3, 1, 2)))]
done, rest = await asyncio.wait(
    [asyncio.create_task(sleep(n)) for n in (0.01, 60)],
    return_when=asyncio.FIRST_COMPLETED)
try:
    async with asyncio.timeout(0.05):
        await sleep(60)
except TimeoutError:
    late = "late"
return [one, [t.result() for t in tasks], three, [len(done), len(rest)], late]
END
script 1 "a failure in a TaskGroup" '"class":"ExceptionGroup"' \
    '"node":"/t0/tool#0"' <<'END'
import asyncio
async with asyncio.TaskGroup() as group:
    group.create_task(tool("read", path="none"))
    group.create_task(sleep(60))
END
script 1 "what can never happen" '"class":"DeadlockError"' '"line":3' <<'END'
import asyncio
queue = asyncio.Queue()
await queue.get()
END
script 0 "200 timers at once" '"result":200' <<'END'
import asyncio
return len(await asyncio.gather(*(sleep(0.5) for i in range(200))))
END
script 0 "time and chance are those of the run" '"result":[true,true,true]' \
    <<'END'
import random, time, uuid
begin = time.time()
same = begin == time.time()
await sleep(0.2)
return [same, 0.1 < time.time() - begin < 30,
        len({random.random(), str(uuid.uuid4())}) == 2]
END

# ---- branches ----

script 0 "branches in branches, with dicts and limits" \
    '"result":{"a/b":{"x":"ax","y":"ay"},"":{"x":"x","y":"y"}}' <<'END'
async def team(n):
    return await parallel({k: lambda k=k: tool("bash", command=[
        "printf", "%s", n + k]) for k in "xy"}, limit=1)
teams = await parallel({"a/b": team("a"), "": lambda: team("")}, limit=2)
return {t: {k: v["stdout"] for k, v in r.items()} for t, r in teams.items()}
END
script 3 "a hole in a pipeline" '"result":[10,null,30]' \
    '"failures":[{"node":"/l0.1/tool#0","class":"ToolError"' <<'END'
async def check(v):
    if v == 2: await tool("read", path="none")
    return v
return await pipeline([1, 2, 3], check, lambda v: v * 10, limit=2)
END
script 1 "a bug in a branch" '"class":"NameError"' '"line":3' \
    '"failures":[]' <<'END'
async def bad():
    await sleep(0)
    return unknown
return await parallel([bad(), sleep(60)])
END
script 1 "strict" '"class":"ExceptionGroup"' "2 of 3 branches failed" <<'END'
await parallel([tool("read", path="a"), tool("read", path="b"), sleep(0)],
    strict=True)
END
script 1 "a value for a branch" '"class":"TypeError"' "branch 1" "not int" \
    <<'END'
return await parallel([lambda: 1, 3])
END
script 1 "a list of stages" "stage 0 must be a function, not list" <<'END'
return await pipeline([1], [lambda v: v])
END
script 3 "a failed task that nobody awaits" '"result":1' '"node":"/t0/tool#0"' \
    <<'END'
import asyncio
task = asyncio.create_task(tool("read", path="none"))
while not task.done():
    await sleep(0.1)
return 1
END
script 0 "a key longer than a path" '"result":1' <<'END'
return len(await parallel({"Review " + "x" * 3000: lambda: sleep(0)}))
END

# ---- agents ----

script 0 "schemas: an object, a list, a number" \
    '"result":[{"n":1},["a","b"],7,"an answer"]' <<'END'
n = {"type": "object", "properties": {"n": {"type": "integer"}},
     "required": ["n"]}
return [await agent("OBJECT", model="t", schema=n),
        await agent("ARRAY", model="t", schema={
            "type": "array", "items": {"type": "string"}}),
        await agent("NUMBER", model="t", schema={"type": "integer"}),
        await agent("text", model="t", tools=["read"], label="a\nb",
                    phase="Ask", timeout=60, retries=1)]
END
script 8 "a provider that fails" '"cause":"provider"' '"node":"/agent#0"' <<'END'
return await agent("FATAL", model="t")
END
script 3 "the same in a branch" '"result":{"x":null,"y":"an answer"}' \
    '"node":"/p0.=x/agent#0"' '"cause":"provider"' <<'END'
return await parallel({"x": agent("FATAL", model="t"),
                       "y": agent("fine", model="t")})
END
script 1 "an agent that takes too long" '"class":"AgentError"' \
    '"cause":"timeout"' '"line":1' <<'END'
return await agent("SLOW", model="t", timeout=0.2)
END
script 1 "a model that ignores its schema" '"class":"AgentError"' \
    '"node":"/agent#0"' '"cause":"schema"' '\"n\" is missing' <<'END'
return await agent("DIM", model="t", schema={"type": "object",
    "properties": {"n": {"type": "integer"}}, "required": ["n"]})
END
script 1 "a model that is not there" '"class":"AgentError"' 'gpt-4' <<'END'
return await agent("hi", model="gpt-4")
END
script 1 "a tool that is not there" '"class":"AgentError"' 'websearch' <<'END'
return await agent("hi", model="t", tools=["websearch"])
END
script 1 "no prompt" '"class":"TypeError"' "'prompt'" <<'END'
return await agent()
END
script 1 "a keyword of others" '"class":"TypeError"' "'temperature'" <<'END'
return await agent("hi", temperature=0.2)
END
script 1 "tools as a text" "tools must be a list of names, not str" <<'END'
return await agent("hi", tools="read")
END
script 1 "a schema of no JSON schema" 'schema' '"cause":"input"' <<'END'
return await agent("hi", model="t", schema={"type": "objekt"})
END
script 1 "no await" "agent() in line 2 was never awaited" '"line":2' <<'END'
async def helper():
    agent("hello")
    return 3
return await helper()
END
script 1 "no await, and a look inside" "await of tool() in line 1 forgotten" \
    '"line":2' <<'END'
out = tool("bash", command="echo")
return out["stdout"]
END
with=(-t 30)
script 6 "a budget that is too small" '"class":"BudgetError"' <<'END'
return await agent("hi", model="t")
END
with=(-t 6000)
script 0 "a fan that fits its budget only one by one" '"result":5' <<'END'
return len(await parallel([lambda i=i: agent(f"q{i}", model="t")
    for i in range(5)], strict=True))
END
with=(-t 4000)
script 3 "a fan that does not fit: as many as do" 'null]' \
    '"class":"BudgetError"' '"result":["an answer","an answer"' <<'END'
return await parallel([lambda i=i: agent(f"q{i}", model="t")
    for i in range(8)])
END
with=()

# ---- tools ----

script 0 "write, edit, read, grep, glob" '"result":["yy",[{"path":"d/a"' <<'END'
await tool("write", path="d/a", content="xx")
await tool("edit", path="d/a", old="x", new="y", all=True)
return [await tool("read", path="d/a"), await tool("grep", pattern="y"),
        await tool("glob", pattern="**/*")]
END
script 0 "exit statuses are values" '"result":[3,124,"$HOME\n"]' <<'END'
return [(await tool("bash", command="exit 3"))["exit"],
        (await tool("bash", command="sleep 60", timeout=1))["exit"],
        (await tool("bash", command=["echo", "$HOME"]))["stdout"]]
END
script 0 "an outcome of 4 MB" '"result":4000000' <<'END'
return len((await tool("bash",
    command="head -c 4000000 /dev/zero | tr '\\0' x"))["stdout"])
END
script 0 "one that is too long is a failed tool" \
    '"result":["size","exit 3, but 5000000 bytes"]' <<'END'
try:
    await tool("bash",
        command="head -c 5000000 /dev/zero | tr '\\0' x; exit 3")
except ToolError as e:
    return e.cause, str(e)[:25]
END
script 1 "an input of the wrong type" "bash.command: expected" <<'END'
await tool("bash", command=3)
END
script 1 "an unknown tool" 'web_search' '"class":"ToolError"' <<'END'
await tool("web_search", query="x")
END
script 1 "out of the workspace" '"class":"ToolError"' <<'END'
return await tool("read", path="../../etc/shadow")
END
script 0 "what an error tells" '"result":["/tool#0","none:' <<'END'
try:
    await tool("read", path="none")
except NodeError as e:
    return [e.node, str(e)]
END

# ---- values ----

while read -r where value; do
	out=$(printf '%s\n' \
	    "import datetime, decimal" "return $value" |
	    wfsupctl run --json -q - 2>err)
	judge 1 "not JSON: $value" $? "$where: " '"line":2'
done <<'END'
result.a[1] {"a": [1.0, float("nan")]}
result float("-inf")
result[0] [2**63]
result.s {"s": "\ud800"}
result.s {"s": "a\0b"}
result.s {"s": {1: 2}}
result {"a\0": 2}
result.s {"s": {1}}
result[0] [b"x"]
result.items[0].when {"items": [{"when": datetime.datetime.now()}]}
result decimal.Decimal("1.5")
result.f {"f": print}
END
script 1 "a value that contains itself" "result.a[0]: " '"line":3' <<'END'
x = {"a": []}
x["a"].append(x)
return x
END
script 0 "what goes by its value" \
    '"result":[[1,2],{"a":1},"b",9223372036854775807,0.1]' <<'END'
import collections, enum
class E(str, enum.Enum):
    B = "b"
return [(1, 2), collections.Counter("a"), E.B, 2**63 - 1, 0.1]
END
deep() { printf '%*s' "$1" '' | tr ' ' '['; printf '%*s' "$1" '' | tr ' ' ']'; }
script 0 "64 deep is JSON" "\"result\":$(deep 64)" <<'END'
x = []
for i in range(63): x = [x]
return x
END
script 1 "65 deep is not" "nested more than 64 deep" '"line":3' <<'END'
x = []
for i in range(64): x = [x]
return x
END
script 0 "64 deep may be asked and said" '"result":"input"' <<'END'
x = []
for i in range(62): x = [x]
log("deep", x=x)
try:
    await tool("write", path="a", content=x)
except ToolError as e:
    return e.cause
END
with=(-a "$(deep 64)")
script 0 "arguments 64 deep" '"result":1' <<'END'
return len(args)
END
with=()
script 1 "more than a message holds" "result: " "4194304" <<'END'
return "x" * 5000000
END
script 1 "log data that is not JSON" "log: data.found" '"line":1' <<'END'
log("hi", found={1, 2})
END

# ---- what is not there ----

while read -r class hint code; do
	out=$(printf '%s\n' "import asyncio, time" "$code" |
	    wfsupctl run --json -q - 2>err)
	judge 1 "not there: $code" $? "\"class\":\"$class\"" "$hint" '"line":2'
done <<'END'
ModuleNotFoundError dataclasses import os
ModuleNotFoundError dataclasses from pathlib import Path
RuntimeError tool( open("x")
RuntimeError args input("name? ")
RuntimeError sleep(seconds) time.sleep(3)
RuntimeError return exit(3)
RuntimeError agent() await asyncio.to_thread(print)
RuntimeError tool() await asyncio.create_subprocess_exec("ls")
SystemExit 2 raise SystemExit(2)
KeyboardInterrupt raised raise KeyboardInterrupt
RecursionError depth f = lambda n: f(n + 1); f(0)
END

# ---- what a stranger is told ----

script 1 "a failed tool of a group has its line and text" \
    'TaskGroup: ToolError: none: ' '"line":4' '"node":"/t1/tool#0"' <<'END'
import asyncio
async with asyncio.TaskGroup() as group:
    group.create_task(sleep(60))
    group.create_task(tool("read", path="none"))
END
script 3 "a hole by timeout says how long" '"result":[null]' \
    '"message":"no result within 0.2 s","cause":"timeout"' <<'END'
import asyncio
return await parallel([asyncio.wait_for(sleep(60), 0.2)])
END
script 1 "a tool's input without its name" 'tool(\"bash\", command=' \
    '"line":1' <<'END'
return await tool("bash", "ls")
END
script 1 "a Markdown fence" "a Markdown fence is not Python" '"line":1' <<'END'
```python
return 1
```
END
script 1 "a coroutine as the result" "parallel() in line 1 was never awaited" \
    '"line":1' <<'END'
return parallel([tool("bash", command="ls")])
END
script 6 "one value that memory can't hold" '"class":"MemoryError"' \
    '"cause":"oom"' '"line":1' <<'END'
return len(bytes(10 ** 12))
END

# ---- how a script ends ----

script 1 "an error that wraps another" '"class":"RuntimeError"' "KeyError" \
    '"line":4' <<'END'
try:
    {}["k"]
except KeyError as e:
    raise RuntimeError("wrapped") from e
END
script 1 "an error that can't be said" '"class":"X"' '"line":3' <<'END'
class X(Exception):
    def __str__(self): raise ValueError
raise X()
END
script 1 "an error too long to be said" '"class":"ValueError"' '"line":1' <<'END'
raise ValueError("x" * 6000000)
END
script 0 "a line too long to be said" '"result":1' <<'END'
print("x" * 3000000)
return 1
END
script 6 "memory without end" '"cause":"oom"' '"class":"JailError"' <<'END'
x = []
while True: x.append("y" * 1000000 + str(len(x)))
END
tight 6 "a loop without end" '"cause":"cpu"' "await sleep()" <<'END'
import time
end = time.time() + 1
while time.time() < end: pass
END
tight 0 "a task that swallows its end does not hold the result" \
    '"result":"done"' <<'END'
import asyncio
async def heartbeat():
    while True:
        try:
            await sleep(60)
        except BaseException:
            pass
task = asyncio.create_task(heartbeat())
await sleep(0.05)
return "done"
END
tight 1 "nor does it hold a bug" '"class":"ValueError"' '"line":9' <<'END'
async def stubborn():
    while True:
        try:
            await sleep(60)
        except BaseException:
            pass
async def bad():
    await sleep(0.05)
    raise ValueError("x")
await parallel([stubborn(), bad()])
END
for class in NondeterminismError ScopeError BudgetError JailError; do
	script 1 "a script's own $class is a script's error" \
	    "\"class\":\"$class\"" <<-END
	class $class(Exception): pass
	raise $class("mine")
	END
done
script 1 "a provider's fault that is not recorded" '"cause":"provider"' <<'END'
e = AgentError("x")
e.cause = "provider"
raise e
END
script 8 "one that is, raised again" '"cause":"provider"' <<'END'
try:
    await agent("FATAL", model="t")
except AgentError as e:
    await sleep(0)
    raise e
END
tight 6 "one string too many" '"class":"MemoryError"' '"cause":"oom"' <<'END'
return len("x" * 1000000000)
END
tight 7 "a tool that is denied" '"class":"ScopeError"' '"cause":"denied"' \
    'tools { \"bash\" }' '"node":"/tool#0"' '"line":1' <<'END'
return await tool("bash", command="id")
END
tight 7 "an agent with a tool that is denied" '"class":"ScopeError"' \
    '"node":"/agent#0"' 'agent() with tool \"bash\"' 'tools { \"bash\" }' \
    '"line":1' <<'END'
return await agent("hi", model="t", tools=["read", "bash"])
END
script 1 "an agent that is not there" 'nobody\"; there is:' <<'END'
return await agent("hi", agent="nobody")
END
tight 3 "the same in a branch" '"result":[null]' '"class":"ScopeError"' <<'END'
return await parallel([lambda: tool("bash", command="id")])
END
id=$(echo 'await parallel([lambda: tool("bash", command="sleep 60"),
    agent("SLOW", model="t"), sleep(60)])' | wfsupctl submit -)
for _ in $(seq "$(slow 100)"); do
	wfsupctl show "$id" | grep -q "^Nodes.*3 running" && break
	sleep 0.1
done
wfsupctl cancel "$id" >out
out=$(timeout 20 wfsupctl result --wait --json "$id" 2>err)
judge 4 "cancelled in the middle" $? '"class":"CancelledError"' '"nodes":3'

check "no room ended, nobody broke the protocol" sh -c \
    "! grep -E 'event=(room.exit|proto.violation)' '$WFSUP_SCRATCH/log'"

finish

"""What is wrong with the arguments of the words that a script calls: each
error names the word and the argument, what was given, and what would be
right. Of tools' inputs see keeper/tool_test.c."""

from harness import Fails, finish, table

AGENT = 'options have names: agent("...", model="...")'
TOOL = 'the name comes first, and inputs have names: tool("bash", ' \
    'command="ls")'
LIST = "branches are one list: parallel([a, b])"
ITEMS = "items, and a function for each stage: pipeline(items, first, second)"
LOG = 'one text, and data by name: log("found", count=3)'
PHASE = 'one text: phase("review")'
SLEEP = "one number of seconds"
OPTIONS = "its options are agent, model, schema, tools, sandbox, label, " \
    "phase, timeout, retries"
MOST = "at most 3162240000 seconds"

# what is called: class and text of its error
WRONG = [
    # ---- missing ----
    ('agent()', "TypeError", "agent() missing 1 required positional "
     "argument: 'prompt' (%s)" % AGENT),
    ('tool()', "TypeError", "tool() missing 1 required positional argument: "
     "'name' (%s)" % TOOL),
    ('tool(name="bash", command="ls")', "TypeError", "tool() missing 1 "
     "required positional argument: 'name' (%s)" % TOOL),
    ('parallel()', "TypeError", "parallel() missing 1 required positional "
     "argument: 'branches' (%s)" % LIST),
    ('pipeline()', "TypeError", "pipeline() missing 1 required positional "
     "argument: 'items' (%s)" % ITEMS),
    ('sleep()', "TypeError", "sleep() missing 1 required positional "
     "argument: 'seconds' (%s)" % SLEEP),
    ('log()', "TypeError", "log() missing 1 required positional argument: "
     "'message' (%s)" % LOG),
    ('phase()', "TypeError", "phase() missing 1 required positional "
     "argument: 'title' (%s)" % PHASE),
    # ---- too many ----
    ('agent("x", "y")', "TypeError",
     "agent() takes 1 positional argument but 2 were given (%s)" % AGENT),
    ('agent("x", prompt="y")', "TypeError",
     "agent() got multiple values for argument 'prompt' (%s)" % AGENT),
    ('tool("bash", "ls")', "TypeError",
     "tool() takes 1 positional argument but 2 were given (%s)" % TOOL),
    ('parallel([], 5)', "TypeError",
     "parallel() takes 1 positional argument but 2 were given (%s)" % LIST),
    ('sleep(1, 2)', "TypeError",
     "sleep() takes 1 positional argument but 2 were given (%s)" % SLEEP),
    ('log("a", "b")', "TypeError",
     "log() takes 1 positional argument but 2 were given (%s)" % LOG),
    ('phase("a", "b")', "TypeError",
     "phase() takes 1 positional argument but 2 were given (%s)" % PHASE),
    # ---- misspelt, or not there ----
    ('agent("x", modle="y")', "TypeError", "agent() got an unexpected "
     "keyword argument 'modle' (is it model? %s)" % OPTIONS),
    ('agent("x", temperature=1)', "TypeError", "agent() got an unexpected "
     "keyword argument 'temperature' (%s)" % OPTIONS),
    ('parallel([], limt=5)', "TypeError", "parallel() got an unexpected "
     "keyword argument 'limt' (is it limit? its options are strict, limit)"),
    ('pipeline([], strict=True)', "TypeError", "pipeline() got an "
     "unexpected keyword argument 'strict' (its options are limit)"),
    ('sleep(secs=1)', "TypeError",
     "sleep() got an unexpected keyword argument 'secs' (%s)" % SLEEP),
    ('phase(titel="x")', "TypeError",
     "phase() got an unexpected keyword argument 'titel' (%s)" % PHASE),
    # ---- of another type ----
    ('agent(5)', "TypeError", "agent: prompt must be a string, not int 5"),
    ('agent(None)', "TypeError",
     "agent: prompt must be a string, not NoneType"),
    ('agent(b"x")', "TypeError", "agent: prompt must be a string, not bytes"),
    ('agent(agent("x"))', "TypeError", "agent: prompt must be a string, not "
     "coroutine (was its await forgotten?)"),
    ('agent("x", agent=5)', "TypeError",
     "agent: agent must be a string, not int 5"),
    ('agent("x", model=["m"])', "TypeError",
     "agent: model must be a string, not list"),
    ('agent("x", schema="object")', "TypeError", "agent: schema must be a "
     'JSON schema as a dict, not str "object"'),
    ('agent("x", schema=dict)', "TypeError", "agent: schema must be a JSON "
     "schema as a dict, not type"),
    ('agent("x", tools="read")', "TypeError",
     'agent: tools must be a list of names, not str "read"'),
    ('agent("x", tools={"read": 1})', "TypeError",
     "agent: tools must be a list of names, not dict"),
    ('agent("x", tools=True)', "TypeError",
     "agent: tools must be a list, not bool True"),
    ('agent("x", tools=["read", 5])', "TypeError",
     "agent: tools[1] must be a string, not int 5"),
    ('agent("x", sandbox=1)', "TypeError",
     "agent: sandbox must be a string, not int 1"),
    ('agent("x", label=5)', "TypeError",
     "agent: label must be a string, not int 5"),
    ('agent("x", phase=5)', "TypeError",
     "agent: phase must be a string, not int 5"),
    ('agent("x", timeout="5")', "TypeError",
     'agent: timeout must be a number of seconds, not str "5"'),
    ('agent("x", timeout=True)', "TypeError",
     "agent: timeout must be a number of seconds, not bool True"),
    ('agent("x", retries="3")', "TypeError",
     'agent: retries must be an integer, not str "3"'),
    ('agent("x", retries=1.5)', "TypeError",
     "agent: retries must be an integer, not float 1.5"),
    ('agent("x", retries=None)', "TypeError",
     "agent: retries must be an integer, not NoneType"),
    ('tool(5)', "TypeError", "tool: name must be a string, not int 5"),
    ('tool(["bash", "ls"])', "TypeError",
     "tool: name must be a string, not list"),
    ('tool("bash", command={"ls"})', "TypeError",
     "tool: input.command: set is not JSON"),
    ('parallel(5)', "TypeError",
     "parallel: branches must be a list, not int 5"),
    ('parallel(None)', "TypeError",
     "parallel: branches must be a list, not NoneType"),
    ('parallel([lambda: 1, 5])', "TypeError", "parallel: branch 1 must be a "
     "function without arguments, a coroutine or a task, not int 5"),
    ('parallel({"a": "b"})', "TypeError", "parallel: branch 'a' must be a "
     'function without arguments, a coroutine or a task, not str "b"'),
    ('parallel([lambda x: x])', "TypeError", "parallel: branch 0 must be a "
     "function without arguments: "),
    ('parallel({"k": lambda *, y: y})', "TypeError", "parallel: branch 'k' "
     "must be a function without arguments: "),
    ('parallel([], strict="no")', "TypeError",
     'parallel: strict must be True or False, not str "no"'),
    ('parallel([], limit="3")', "TypeError",
     'parallel: limit must be an integer, not str "3"'),
    ('parallel([], limit=2.0)', "TypeError",
     "parallel: limit must be an integer, not float 2.0"),
    ('pipeline(5, len)', "TypeError",
     "pipeline: items must be a list, not int 5"),
    ('pipeline({"a": 1}, len)', "TypeError",
     "pipeline: items must be a list, not dict"),
    ('pipeline([1], 2)', "TypeError", "pipeline: stage 0 must be a function, "
     "not int 2 (stages follow the items: pipeline(items, first, second))"),
    ('pipeline([1], len, [len])', "TypeError", "pipeline: stage 1 must be a "
     "function, not list (stages follow the items: "),
    ('pipeline([1], lambda a, b, c, d: 1)', "TypeError", "pipeline: stage 0 "
     "needs a, b, c, d, but is given value, item and index at most, by "
     "position"),
    ('pipeline([1], lambda v, *, k: 1)', "TypeError", "pipeline: stage 0 "
     "needs v, k, but is given value, item and index at most, by position"),
    ('pipeline([1], len, limit="3")', "TypeError",
     'pipeline: limit must be an integer, not str "3"'),
    ('sleep("5")', "TypeError",
     'sleep: seconds must be a number of seconds, not str "5"'),
    ('sleep(None)', "TypeError",
     "sleep: seconds must be a number of seconds, not NoneType"),
    ('log({1, 2})', "TypeError", "log: message: set is not JSON (sorted() "
     "makes a list of it)"),
    ('log("x", y={1})', "TypeError", "log: data.y: set is not JSON (sorted() "
     "makes a list of it)"),
    ('phase(5)', "TypeError", "phase: title must be a string, not int 5"),
    ('phase(None)', "TypeError",
     "phase: title must be a string, not NoneType"),
    # ---- beyond what is right ----
    ('agent("x", model="")', "ValueError",
     "agent: model must have 1 to 128 bytes, not 0"),
    ('agent("x", agent="a" * 65)', "ValueError",
     "agent: agent must have 1 to 64 bytes, not 65"),
    ('agent("x", tools=["a"] * 65)', "ValueError",
     "agent: tools must have at most 64 names, not 65"),
    ('agent("x", timeout=0)', "ValueError", "agent: timeout must be more "
     "than 0 seconds, and finite, not int 0"),
    ('agent("x", timeout=-1.5)', "ValueError", "agent: timeout must be more "
     "than 0 seconds, and finite, not float -1.5"),
    ('agent("x", timeout=float("inf"))', "ValueError", "agent: timeout must "
     "be more than 0 seconds, and finite, not float inf"),
    ('agent("x", timeout=float("nan"))', "ValueError",
     "agent: timeout must be %s, not float nan" % MOST),
    ('agent("x", retries=-1)', "ValueError",
     "agent: retries must be 0 to 100, not int -1"),
    ('agent("x", retries=10 ** 50)', "ValueError",
     "agent: retries must be 0 to 100, not int"),
    ('tool("")', "ValueError", "tool: name must have 1 to 64 bytes, not 0"),
    ('parallel([], limit=0)', "ValueError",
     "parallel: limit must be at least 1, not int 0"),
    ('pipeline([1], len, limit=-1)', "ValueError",
     "pipeline: limit must be at least 1, not int -1"),
    ('sleep(float("inf"))', "ValueError",
     "sleep: seconds must be a finite number, not inf"),
    ('sleep(1e12)', "ValueError",
     "sleep: seconds must be %s, not float 1000000000000.0" % MOST),
    # ---- no such word ----
    ('bash(command=[])', "NameError",
     "name 'bash' is not defined (`await tool(\"bash\", ...)`)"),
    ('read("x")', "NameError",
     "name 'read' is not defined (`await tool(\"read\", ...)`)"),
    ('write("x", "y")', "NameError", "(`await tool(\"write\", ...)`)"),
    ('edit("x")', "NameError", "(`await tool(\"edit\", ...)`)"),
    ('grep("x")', "NameError", "(`await tool(\"grep\", ...)`)"),
    ('glob("x")', "NameError", "(`await tool(\"glob\", ...)`)"),
    ('sandbox("x")', "RuntimeError", "sandbox() is not offered"),
    ('workflow("x")', "RuntimeError", "workflow() is not offered"),
    ('ask("x")', "RuntimeError", "ask() is not offered"),
    ('signal("x")', "RuntimeError", "signal() is not offered"),
]

table([(call, ("" if call.startswith(("log", "phase")) else "await ") + call,
        Fails(kind, text, 1)) for call, kind, text in WRONG])

# A bug within what is called is that bug, and none of the call.
table([
    ("a TypeError of a branch's own", "await parallel([lambda: len(5)])",
     Fails("TypeError", "object of type 'int' has no len()", 1)),
    ("a branch that calls another one wrongly",
     "def f(x):\n    return x\nawait parallel([lambda: f()])",
     Fails("TypeError", "f() missing 1 required positional argument: 'x'")),
    ("an agent() of the script's own",
     "def agent(a):\n    return a\nagent(1, 2)",
     Fails("TypeError", "agent() takes 1 positional argument but 2 were "
           "given")),
])

finish()

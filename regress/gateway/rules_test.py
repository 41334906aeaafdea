"""The canned provider: rules right and wrong, and the manual's examples."""
import os
import time

import harness
from harness import Gateway, case, run
from providers import RULES, canned


def test_canned():
    g = Gateway(canned(("m", "n")), rules={"c": RULES})
    text, name, env, body = g.ask("hi", model="n")
    case(name == "MODEL_DONE" and text == body["content"] == "I am n" and
         env["finish"] == "stop", "canned: text", (text, env, body))
    case(env["tokens_in"] == 1 and env["tokens_out"] == 2,
         "canned: usage is a quarter of the characters", env)
    user = {"role": "user", "content": "read a.c"}
    _, name, env, body = g.ask([user])
    call = body["tool_calls"][0]
    case(env["finish"] == "tool_calls" and call == {
        "id": "call_1", "name": "read", "arguments": {"path": "a.c"}},
        "canned: a call with what the prompt says", body)
    _, _, _, body = g.ask([user, body, {
        "role": "tool", "id": "call_1", "name": "read",
        "content": "x\ny\nz\n"}])
    case(body["tool_calls"][0]["arguments"] == {"lines": 3},
         "canned: a call with what the tool has found", body)
    got = [g.ask("flaky", node="/agent#1")[:2] for _ in range(3)]
    case(got == [("half a", "MODEL_FAIL"), ("half a", "MODEL_FAIL"),
                 ("I am m", "MODEL_DONE")],
         "canned: fails twice after some text, then answers", got)
    case(g.ask("flaky", node="/agent#2")[1] == "MODEL_FAIL",
         "canned: another node fails of its own")
    _, name, env, _ = g.ask("hi", model="zz")
    case(name == "MODEL_FAIL" and env["class"] == "invalid" and
         env["message"] == "there is no model zz; there is: m, n",
         "an unknown model: says what there is", env)
    g.stop()


def test_bad_rules():
    config = canned()
    config["providers"]["bad"] = {"type": "canned"}
    config["providers"]["none"] = {"type": "canned"}
    config["models"]["b"] = {"provider": "bad"}
    config["models"]["n"] = {"provider": "none"}
    g = Gateway(config, rules={"c": RULES, "bad": {"rules": [{"text": 1}]}})
    _, name, env, _ = g.ask("hi", model="b")
    case(name == "MODEL_FAIL" and env["class"] == "fatal" and
         "rules[0].text: must be a string" in env["message"],
         "bad rules: each call is told where they are wrong", env)
    case("provider bad: rules: rules[0].text" in g.log(),
         "bad rules: and the log")
    _, _, env, _ = g.ask("hi", model="n")
    case("has no rules" in env["message"], "no rules: says so", env)
    case(g.ask("hi")[1] == "MODEL_DONE", "the other provider goes on")
    g.stop()


def test_manual():
    with open(os.path.join(harness.TOP, "etc", "wfsup-canned.5")) as f:
        page = f.read()
    examples = [block.split(".Ed")[0] for block in
                page.split(".Bd -literal -offset indent\n")[1:]]
    g = Gateway(canned(), rules={"c": examples[0]})
    user = {"role": "user", "content": "Measure a.c"}
    tools = [{"name": "read", "description": "", "input": {}}]
    _, _, _, body = g.ask([user], tools=tools)
    text = g.ask([user, body, {"role": "tool", "id": "call_1", "name": "read",
                               "content": "a\nTODO\n"}], tools=tools)[0]
    case(text == "2 lines, 1 of them still to do.",
         "wfsup-canned(5): the first example runs", text)
    g.configure(canned(), rules={"c": examples[1]})
    got = [g.ask("hi", node="/agent#1")[1] for _ in range(3)]
    case(got == ["MODEL_FAIL", "MODEL_FAIL", "MODEL_DONE"],
         "wfsup-canned(5): the second example runs", got)
    g.stop()


def test_cancel_canned():
    g = Gateway(canned(), rules={"c": RULES})
    g.call("slow", peerid=7)
    g.broker.send("MODEL_CANCEL", 7, {"run": "r1"})
    began = time.time()
    case(g.ask("hi", peerid=7)[0] == "I am m" and time.time() - began < 1,
         "cancelled: nothing comes, the number is free at once")
    g.broker.send("MODEL_CANCEL", 9, {"run": "r1"})
    case(g.ask("hi")[1] == "MODEL_DONE",
         "a cancel that crossed the answer is no fault")
    g.stop()


run(test_canned, test_bad_rules, test_manual, test_cancel_canned)

"""The real gateway between a supervisor, a broker and servers of all kinds."""
import json
import os
import shutil
import ssl
import subprocess
import sys
import tempfile
import threading
import time

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))

import harness
from harness import Gateway, case
from server import Server, delta, head, reset, say, sse

KEY = "sk-test-0123456789abcdef"
USAGE = {"choices": [], "usage": {"prompt_tokens": 5, "completion_tokens": 7}}
RULES = {"rules": [
    {"when": {"attempt": {"max": 1}, "messages": [{"contains": "flaky"}]},
     "fail": {"class": "transient", "status": 503, "after": 5},
     "text": "half a"},
    {"when": {"messages": [{"contains": "slow"}]}, "delay": 3000,
     "text": "late"},
    {"when": {"turn": 0, "messages": [
        {"role": "user", "regex": "read (.+)", "as": ["file"]}]},
     "calls": [{"name": "read", "arguments": {"path": "${file}"}}]},
    {"when": {"messages": [{"name": "got", "role": "tool", "last": True}]},
     "let": {"n": {"lines": True, "in": "got"}},
     "calls": [{"name": "finish", "arguments": {"lines": "${n}"}}]},
    {"text": "I am ${model}"}]}


def canned(models=("m",), name="c"):
    return {"providers": {name: {"type": "canned"}},
            "models": {m: {"provider": name} for m in models}}


def openai(port, scheme="http", host="127.0.0.1", **more):
    provider = {"type": "openai",
                "url": "%s://%s:%d/v1/" % (scheme, host, port)}
    provider.update(more)
    return {"providers": {"o": provider},
            "models": {"m": {"provider": "o", "name": "upstream",
                             "max_tokens": 50}}}


def open_fds(g):
    return len(os.listdir("/proc/%d/fd" % g.proc.pid))


# ---- the process ----

def test_confinement():
    g = Gateway(canned(), rules={"c": RULES})
    with open("/proc/%d/status" % g.proc.pid) as f:
        status = dict(line.rstrip("\n").split(":\t", 1) for line in f
                      if ":\t" in line)
    caps = [status[k] for k in ("CapInh", "CapPrm", "CapEff", "CapBnd",
                                "CapAmb")]
    case(status["Uid"].split() == ["64001"] * 4 and
         status["Gid"].split() == ["64001"] * 4 and
         status["Groups"].strip() == "", "ids: its own, no other group")
    case(all(int(c, 16) == 0 for c in caps), "no capability in any set", caps)
    case(status["NoNewPrivs"] == "1" and status["Seccomp"] == "2",
         "no new privileges, a system-call filter")
    case(g.hello[0] == "ROOM_HELLO" and g.ready[0] == "ROOM_READY",
         "says hello, and that it is ready")
    case(g.stop() == 0, "ends when the supervisor is gone")


# ---- canned ----

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


# ---- a hostile or unlucky broker ----

def test_broker():
    g = Gateway(canned(), rules={"c": RULES})
    g.call("slow", peerid=3)
    g.call("slow", peerid=3)
    case(g.answer()[1] == "CLOSED" and g.alive(),
         "a number used twice: the broker is dropped, not the process")
    g.connect()
    case(g.ask("hi")[1] == "MODEL_DONE", "a new channel works")
    for data in (b"", b"{", b"\0" * 100, b'{"run":"r1"}', b"[]",
                 b'{"run":"r1","node":"n","model":"m","reserve":0}'):
        g.broker.packet(harness.N["MODEL_CALL"], 1, data)
        closed = g.answer()[1] == "CLOSED"
        g.connect()
        if not closed or not g.alive():
            break
    case(closed and g.alive(), "malformed calls: dropped each time", data)
    for body, why in (([], "must be an object"),
                      ({"messages": []}, "there are none"),
                      ({"messages": [{"role": "x"}]}, "no role")):
        g.broker.send("MODEL_CALL", 1, {"run": "r1", "node": "/a",
                                        "model": "m", "reserve": 0}, body)
        _, _, env, _ = g.answer()
        case(env.get("class") == "invalid" and why in env["message"],
             "a question that is none: " + why, env)
    g.broker.packet(harness.N["MODEL_CALL"], 1,
                    b'{"run":"r1","node":"n","model":"m","reserve":0}\n{"a')
    _, _, env, _ = g.answer()
    case(env.get("class") == "invalid", "a body that is not JSON", env)
    deep = "[" * 100 + "]" * 100
    g.broker.packet(harness.N["MODEL_CALL"], 1,
                    b'{"run":"r1","node":"n","model":"m","reserve":0}\n' +
                    deep.encode())
    _, _, env, _ = g.answer()
    case("nested" in env.get("message", ""), "a body that nests too deep",
         env)
    text, name, env, _ = g.ask("x" * 3000000)
    case(name == "MODEL_DONE" and env["tokens_in"] == 750000,
         "a conversation of 3 MB", (name, env))
    g.call("slow", peerid=5)
    g.connect()
    case(g.ask("hi", peerid=5)[1] == "MODEL_DONE",
         "a new channel: what the old one asked is forgotten")
    before = open_fds(g)
    for i in range(20):
        g.call("slow", peerid=100 + i)
        g.broker.ours.close()
        g.connect()
    g.ask("hi")
    case(open_fds(g) == before, "no descriptor is left of 20 brokers",
         (before, open_fds(g)))
    g.stop()


def test_reload():
    g = Gateway(canned(), rules={"c": RULES})
    g.configure(canned(("m", "new")))
    case(g.ask("hi", model="new")[0] == "I am new",
         "reload: a new model, the rules are still there")
    g.call("slow")
    g.configure(canned(("other",), "d"), rules={"d": RULES})
    text, name, _, _ = g.answer()
    case(text == "late" and name == "MODEL_DONE",
         "reload: a call under way ends as it began")
    g.configure({"providers": {"d": {"type": "magic"}}})
    case(g.ask("hi", model="other")[1] == "MODEL_DONE" and
         "providers.d.type" in g.log(),
         "a bad reload: the old configuration stays, the log says why")
    g.stop()


# ---- openai ----

GOOD = head() + sse(delta("hel"), delta("lo"), delta(finish="stop"), USAGE)


def test_good():
    s = Server()
    g = Gateway(openai(s.port), keys={"o": KEY + "\n"},
                env={"http_proxy": "http://127.0.0.1:1",
                     "all_proxy": "http://127.0.0.1:1"})
    s.play = say(GOOD)
    text, name, env, body = g.ask("hi", tools=[
        {"name": "f", "description": "d", "input": {"type": "object"}}])
    case(name == "MODEL_DONE" and text == "hello" and
         body == {"role": "assistant", "content": "hello"},
         "a stream becomes a message", (text, name, env, body))
    case((env["tokens_in"], env["tokens_out"], env["request"]) ==
         (5, 7, "c-1"), "with usage and the provider's id", env)
    line, headers, sent = s.requests[0]
    case(line == "POST /v1/chat/completions HTTP/1.1", "the right path", line)
    case(headers["authorization"] == "Bearer " + KEY, "the key is sent")
    case(sent["model"] == "upstream" and sent["stream"] is True and
         sent["max_tokens"] == 50 and
         sent["tools"][0]["function"]["name"] == "f",
         "the provider's own name of the model, its limit, the tools", sent)
    case(len(s.requests) == 1, "no proxy of the environment, one request")
    s.play = say(GOOD)
    g.ask("hi", output=30)
    case(s.requests[1][2]["max_tokens"] == 30,
         "the answer is no longer than the run's budget allows")
    s.play = say(GOOD)
    g.ask("hi", max_tokens=20, output=30)
    case(s.requests[2][2]["max_tokens"] == 20, "nor than was asked for")
    g.stop()


def test_deltas_come_early():
    s = Server()
    g = Gateway(openai(s.port))
    s.play = say(head() + sse(delta("a"), done=False),
                 sse(delta("b", finish="stop")), pause=1.0)
    began = time.time()
    g.call("hi")
    first = g.broker.recv()
    case(first[0] == "MODEL_DELTA" and time.time() - began < 0.8,
         "text is passed on as it comes", first)
    case(g.answer()[0] == "b", "and only once")
    case("authorization" not in s.requests[0][1],
         "without a key there is no header for it")
    g.stop()


def test_calls():
    s = Server()
    g = Gateway(openai(s.port))
    s.play = say(head() + sse(
        delta(calls=[{"index": 0, "id": "i", "type": "function",
                      "function": {"name": "f", "arguments": ""}}]),
        delta(calls=[{"index": 0, "function": {"arguments": "{\"a\""}}]),
        delta(calls=[{"index": 0, "function": {"arguments": ":1}"}}]),
        delta(finish="tool_calls")))
    _, name, env, body = g.ask("hi")
    case(env["finish"] == "tool_calls" and body["tool_calls"] == [
        {"id": "i", "name": "f", "arguments": {"a": 1}}],
        "tool calls from pieces", (env, body))
    case(env["tokens_in"] == 1 and env["tokens_out"] > 0,
         "usage that did not come is estimated", env)
    s.play = say(head(ctype="application/json") + json.dumps({"choices": [
        {"message": {"role": "assistant", "content": "whole"},
         "finish_reason": "stop"}]}).encode())
    case(g.ask("hi")[0] == "whole", "a server that does not stream")
    data = head() + sse(delta("caf\u00e9 \U0001f600"), delta(finish="stop"))
    s.play = say(*[data[i:i + 1] for i in range(len(data))])
    case(g.ask("hi")[0] == "caf\u00e9 \U0001f600", "a byte at a time")
    body = sse(delta("x"), delta(finish="stop"))
    chunks = b"".join(b"%x\r\n%s\r\n" % (len(c), c) for c in
                      (body[:7], body[7:30], body[30:])) + b"0\r\n\r\n"
    s.play = say(head("200 OK", "text/event-stream",
                      "Transfer-Encoding: chunked") + chunks)
    case(g.ask("hi")[0] == "x", "chunked, with chunks of any size")
    s.play = say(head() + sse(delta("\u20ac" * 400000),
                              delta(finish="stop")))
    text, name, _, body = g.ask("hi")
    case(name == "MODEL_DONE" and text == body["content"] == "\u20ac" * 400000,
         "a delta of 1.2 MB comes in whole characters", (name, len(text)))
    g.stop()


def failures():
    """What a server does, and the class and words of the failure."""
    error = json.dumps({"error": {"message": "slow down"}}).encode()

    def cut(sock):
        sock.sendall(head() + sse(delta("a"), done=False))
        reset(sock)

    def quit_at_once(sock):
        reset(sock)

    yield ("429 with Retry-After", say(head(
        "429 Too Many Requests", "application/json", "Retry-After: 3") +
        error), "rate_limit", "slow down", 429)
    yield ("500", say(head("500 Oops", "text/plain") + b"oops"),
           "transient", "oops", 500)
    yield ("401", say(head("401 No", "application/json") + error), "auth",
           "slow down", 401)
    yield ("insufficient_quota in a 429", say(head(
        "429 No", "application/json") + json.dumps({"error": {
            "message": "pay", "code": "insufficient_quota"}}).encode()),
        "fatal", "pay", 429)
    yield ("a conversation that is too long", say(head(
        "400 No", "application/json") + json.dumps({"error": {
            "message": "maximum context length is 8192 tokens"}}).encode()),
        "overflow", "8192", 400)
    yield ("reset in the middle", cut, "transient", "broke", 200)
    yield ("reset before the answer", quit_at_once, "transient", "broke", 0)
    yield ("closed before the answer", say(), "transient", "broke", 0)
    yield ("closed in the middle", say(head() + sse(delta("a"), done=False)),
           "transient", "cut short", 200)
    yield ("less than its length", say(head(length=1000) + b"data: "),
           "transient", "broke", 200)
    yield ("a page", say(head(ctype="text/html") + b"<html>Log in</html>"),
           "protocol", "text/html: <html>Log in", 200)
    yield ("a page with an error status", say(head(
        "502 Bad Gateway", "text/html") + b"<html>nginx"), "transient",
        "nginx", 502)
    yield ("nonsense", say(b"\x00\x01nonsense\r\n\r\n" * 9), "protocol",
           "HTTP", None)
    yield ("chunks that are not JSON", say(head() + sse("{nope")),
           "protocol", "not JSON", 200)
    yield ("text with NUL", say(head() + sse(
        '{"choices":[{"delta":{"content":"a\\u0000b"}}]}')), "protocol",
        "not JSON", 200)
    yield ("an error in the stream", say(head() + sse(delta("a"), {
        "error": {"message": "Overloaded", "type": "overloaded_error"}})),
        "transient", "Overloaded", 200)
    yield ("204", say(head("204 No Content", None)), "transient", "empty",
           204)
    yield ("compressed", say(head("200 OK", "text/event-stream",
                                  "Content-Encoding: gzip") + b"\x1f\x8b"),
           "protocol", "compressed", 200)
    yield ("an answer of 4 MB", say(head() + sse(
        *[delta("\\" * 100000)] * 20, delta(finish="stop"))), "protocol",
        "longer than", None)
    yield ("an answer of 3 MB", say(head() + sse(
        *[delta("a" * 100000)] * 30, delta(finish="stop"))), "protocol",
        "too long", 200)
    yield ("an event without an end", say(head() + b"data: " +
                                          b"x" * 5000000),
           "protocol", "longer", 200)
    yield ("a header without an end", say(b"HTTP/1.1 200 OK\r\nX: " +
                                          b"x" * 2000000), None, "", None)


def test_failures():
    s = Server()
    g = Gateway(openai(s.port), keys={"o": KEY})
    for what, play, fail, words, status in failures():
        s.play = play
        s.requests.clear()
        _, name, env, _ = g.ask("hi")
        ok = name == "MODEL_FAIL" and g.alive()
        if fail is not None:
            ok = ok and env["class"] == fail and words in env["message"]
        if status is not None:
            ok = ok and env["status"] == status
        case(ok, "server: " + what, env)
        if len(s.requests) != 1:
            case(False, "server: %s: asked once" % what, s.requests)
    s.play = say(head("429 No", "application/json", "retry-after-ms: 20"))
    case(g.ask("hi")[2]["after"] == 20, "server: how long to wait")
    s.play = say(head() + sse(delta("12345678"), done=False))
    _, _, env, _ = g.ask("hi")
    case(env["tokens_in"] == 1 and env["tokens_out"] == 2,
         "server: a broken answer has its price, too", env)
    s.play = say(GOOD)
    before = open_fds(g)
    case(g.ask("hi")[0] == "hello" and open_fds(g) == before,
         "server: and afterwards all is well, no descriptor is left")
    g.stop()


def test_keys_and_reload():
    s, other = Server(), Server()
    s.play = other.play = say(GOOD)
    g = Gateway(openai(s.port, key=True), keys={"o": KEY})
    g.configure(openai(s.port, key=True, idle_timeout=9))
    g.ask("hi")
    case(s.requests[-1][1].get("authorization") == "Bearer " + KEY,
         "reload: the key stays until a new one comes")
    g.configure(openai(other.port, key=True))
    _, name, env, _ = g.ask("hi")
    case(name == "MODEL_FAIL" and env["class"] == "auth" and
         not other.requests, "reload: but not for another server", env)
    g.configure(openai(s.port, key=True), keys={"o": "new-" + KEY})
    g.ask("hi")
    case(s.requests[-1][1].get("authorization") == "Bearer new-" + KEY,
         "reload: a new key")
    g.configure(openai(s.port))
    g.ask("hi")
    case("authorization" not in s.requests[-1][1],
         "reload: no key any more, none is sent")
    g.stop()


def test_redirect():
    other = Server()
    other.play = say(GOOD)
    s = Server()
    s.play = say(head("307 Elsewhere", None,
                      "Location: http://127.0.0.1:%d/v1" % other.port))
    g = Gateway(openai(s.port), keys={"o": KEY})
    _, name, env, _ = g.ask("hi")
    case(env["class"] == "protocol" and "redirects" in env["message"] and
         not other.requests, "a redirection is refused, no key follows it",
         env)
    g.stop()


def test_key_is_secret():
    s = Server()
    text = json.dumps({"error": {"message": "bad key " + KEY}}).encode()
    g = Gateway(openai(s.port), keys={"o": KEY})
    plays = [head("401 No", "application/json") + text,
             head("500 No", "text/plain") + b"x" * 280 + KEY.encode(),
             head() + sse(KEY), head(ctype="text/html") + b"<" +
             b"x" * 185 + KEY.encode()]
    said = ""
    for play in plays:
        s.play = say(play)
        said += json.dumps(g.ask("hi")[2])
    case(KEY[:10] not in said, "a server that repeats the key: masked", said)
    with open("/proc/%d/limits" % g.proc.pid) as f:
        core = [line.split()[4] for line in f if "core file" in line]
    case(core == ["0"], "no core file", core)
    status = g.stop()
    case(KEY[:10] not in g.log() and status == 0, "no log has it")
    g = Gateway(openai(s.port), keys={"o": "two words"})
    case("not a key" in g.log() and "two words" not in g.log(),
         "a key that is none: the log says so, not what it is")
    g.stop()


def test_timeouts():
    s = Server()
    g = Gateway(openai(s.port, idle_timeout=1, total_timeout=3,
                       connect_timeout=1))
    s.play = say(head() + sse(delta("a"), done=False), b"", pause=3)
    began = time.time()
    _, _, env, _ = g.ask("hi")
    case(env.get("class") == "transient" and "silent" in env["message"] and
         time.time() - began < 2.5, "a server that falls silent", env)
    s.play = say(head(), *[b": ping\n"] * 20, pause=0.4)
    began = time.time()
    _, _, env, _ = g.ask("hi")
    case("too long" in env["message"] and
         2.5 < time.time() - began < 4.5,
         "a slow loris: bytes reset one limit, not the other", env)
    s.play = say(*[bytes([b]) for b in GOOD[:40]], pause=0.3)
    _, _, env, _ = g.ask("hi")
    case("timeout" in env["message"], "a byte now and then, from the head",
         env)
    g.stop()


def test_cancel():
    s = Server()
    g = Gateway(openai(s.port))

    def endless(sock):
        sock.sendall(head())
        while True:
            sock.sendall(sse(delta("a"), done=False))
            time.sleep(0.05)

    s.play = endless
    g.call("hi", peerid=4)
    while g.broker.recv()[0] != "MODEL_DELTA":
        pass
    g.broker.send("MODEL_CANCEL", 4, {"run": "r1"})
    case(s.gone.wait(3), "cancelled: the connection is closed at once")
    s.gone.clear()
    g.call("hi", peerid=4)
    time.sleep(0.3)
    g.broker.ours.close()
    case(s.gone.wait(3) and g.alive(),
         "the broker is gone: so is what it asked")
    g.stop()


def test_many():
    s = Server()
    s.play = say(GOOD, pause=0.05)
    g = Gateway(openai(s.port))
    for i in range(50):
        g.call("hi", peerid=i + 1)
    done = set()
    while len(done) < 50:
        name, peerid, _, _ = g.broker.recv()
        if name == "MODEL_DONE":
            done.add(peerid)
        elif name != "MODEL_DELTA":
            break
    case(len(done) == 50 and len(s.requests) == 50,
         "50 calls at once, each asked once", (len(done), len(s.requests)))
    g.stop()


def test_unreachable():
    g = Gateway(openai(1, host="localhost", connect_timeout=2))
    _, _, env, _ = g.ask("hi")
    case(env["class"] == "transient" and "can't reach" in env["message"] and
         env["status"] == 0, "nobody listens; localhost is looked up", env)
    s = Server()
    s.play = say(GOOD)
    g.configure(openai(s.port, host="localhost"))
    case(g.ask("hi")[0] == "hello", "a server by its name")
    g.stop()


def make_certificate(d):
    """A certificate for localhost and a store that trusts it, below d."""
    store = os.path.join(d, "store")
    os.mkdir(store)
    cert = os.path.join(store, "c.pem")
    subprocess.run(
        ["openssl", "req", "-x509", "-newkey", "rsa:2048", "-nodes",
         "-keyout", os.path.join(d, "key.pem"), "-out", cert, "-days", "2",
         "-subj", "/CN=localhost", "-addext", "subjectAltName=DNS:localhost"],
        check=True, stderr=subprocess.DEVNULL)
    name = subprocess.run(["openssl", "x509", "-hash", "-noout", "-in", cert],
                          check=True, stdout=subprocess.PIPE, text=True)
    os.symlink("c.pem", os.path.join(store, name.stdout.strip() + ".0"))
    os.chmod(d, 0o755)


def tls_server(d):
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(os.path.join(d, "store", "c.pem"),
                            os.path.join(d, "key.pem"))
    s = Server(wrap=lambda sock: context.wrap_socket(sock, server_side=True))
    s.play = say(GOOD)
    return s


def test_tls():
    if shutil.which("openssl") is None:
        print("skip TLS: there is no openssl to make a certificate")
        return
    with tempfile.TemporaryDirectory() as d:
        make_certificate(d)
        s = tls_server(d)
        g = Gateway(openai(s.port, scheme="https", host="localhost"),
                    keys={"o": KEY})
        _, name, env, _ = g.ask("hi")
        case(name == "MODEL_FAIL" and env["class"] == "fatal" and
             "can't trust" in env["message"] and not s.requests,
             "a certificate of nobody: refused, no key is sent", env)
        plain = Server(wrap=lambda sock: sock.sendall(b"HTTP/1.1 400 No\r\n"))
        g.configure(openai(plain.port, scheme="https"))
        _, _, env, _ = g.ask("hi")
        case(env["class"] == "transient" and g.alive(),
             "TLS to a server that does not speak it", env)
        g.stop()
        # The same with a certificate store of our own, for its mounts only.
        done = subprocess.run(
            ["unshare", "-m", "sh", "-c",
             'mount --bind "$1/store" /etc/ssl/certs && exec "$2" "$3" '
             '--trusted "$1"', "sh", d, sys.executable, __file__])
        harness.failures += done.returncode != 0


def trusted(d):
    s = tls_server(d)
    g = Gateway(openai(s.port, scheme="https", host="localhost"),
                keys={"o": KEY})
    case(g.ask("hi")[0] == "hello", "a certificate of somebody we trust")
    s.requests.clear()
    g.configure(openai(s.port, scheme="https"))
    _, _, env, _ = g.ask("hi")
    case(env.get("class") == "fatal" and "does not match" in env["message"]
         and not s.requests, "but for another name: refused", env)
    g.stop()


TESTS = [test_confinement, test_canned, test_bad_rules, test_manual,
         test_cancel_canned,
         test_broker, test_reload, test_good, test_deltas_come_early,
         test_calls, test_failures, test_keys_and_reload, test_redirect,
         test_key_is_secret,
         test_timeouts, test_cancel, test_many, test_unreachable, test_tls]

if os.geteuid() != 0:
    print("skip the gateway: it is confined by root only")
    sys.exit(0)
threading.excepthook = lambda args: None
if sys.argv[1:2] == ["--trusted"]:
    trusted(sys.argv[2])
    sys.exit(harness.failures != 0)
wanted = sys.argv[1:]
for test in TESTS:
    if not wanted or test.__name__[5:] in wanted:
        try:
            test()
        except Exception as e:
            case(False, test.__name__, repr(e))
sys.exit(harness.failures != 0)

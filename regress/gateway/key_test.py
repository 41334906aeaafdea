"""Which server gets a key, and who never sees it."""
import json

from harness import Gateway, case, run
from providers import GOOD, KEY, openai
from server import Server, head, say, sse


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


run(test_keys_and_reload, test_redirect, test_key_is_secret)

"""A server that fails, in each way that there is."""
import json

from harness import Gateway, case, run
from providers import GOOD, KEY, openai
from server import Server, delta, head, reset, say, sse


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
    before = g.open_fds()
    case(g.ask("hi")[0] == "hello" and g.open_fds() == before,
         "server: and afterwards all is well, no descriptor is left")
    g.stop()


run(test_failures)

"""A server that answers: text, tool calls, usage."""
import json
import time

from harness import Gateway, case, run
from providers import GOOD, KEY, openai
from server import Server, delta, head, say, sse


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


run(test_good, test_deltas_come_early, test_calls)

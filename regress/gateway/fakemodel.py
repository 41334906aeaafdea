"""An OpenAI-compatible endpoint for system tests: prints its port, serves.

The model's name says how it behaves: "good" answers, "busy" refuses each
question twice, "page" is a proxy's page, "broken" cuts its answers, "poor"
has no money left. Asked to count the lines of a file, it reads the file with
the tool that it is offered. It wants the key given as an argument.
"""
import json
import os
import re
import sys
import time

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))

from server import Server, delta, head, sse

seen = {}


def answer(body):
    """The chunks that a question is worth."""
    messages = body["messages"]
    last = messages[-1]
    user = [m["content"] for m in messages if m["role"] == "user"][-1]
    if last["role"] == "tool":
        lines = len(last["content"].splitlines())
        return [delta("It has "), delta("%d lines." % lines),
                delta(finish="stop")]
    asked = re.search(r"Count the lines of (\S+)", user)
    if asked:
        text = json.dumps({"path": asked[1]})
        return [delta(calls=[{"index": 0, "id": "c1", "type": "function",
                              "function": {"name": "read",
                                           "arguments": text[:5]}}]),
                delta(calls=[{"index": 0,
                              "function": {"arguments": text[5:]}}]),
                delta(finish="tool_calls")]
    return [delta("You said: "), delta(user), delta(finish="stop")]


def error(status, message, code=None):
    return head(status, "application/json", "retry-after-ms: 10") + json.dumps(
        {"error": {"message": message, "code": code}}).encode()


def reply(sock, request):
    _, headers, body = request
    model = body["model"]
    if headers.get("authorization") != "Bearer " + sys.argv[1]:
        sock.sendall(error("401 Unauthorized", "no such key"))
    elif model == "page":
        sock.sendall(head(ctype="text/html") + b"<html>Please log in</html>")
    elif model == "poor":
        sock.sendall(error("429 Too Many Requests", "pay first",
                           "insufficient_quota"))
    elif model == "broken":
        sock.sendall(head() + sse(*answer(body)[:1], done=False))
    elif model == "busy" and count(body) <= 2:
        sock.sendall(error("429 Too Many Requests", "slow down"))
    else:
        usage = {"choices": [], "usage": {"prompt_tokens": 100,
                                          "completion_tokens": 10}}
        sock.sendall(head() + sse(*answer(body), usage))


def count(body):
    """How often this question was asked, with this one."""
    key = json.dumps(body["messages"])
    seen[key] = seen.get(key, 0) + 1
    return seen[key]


server = Server()
server.reply = reply
print(server.port, flush=True)
while os.getppid() != 1:
    time.sleep(0.5)

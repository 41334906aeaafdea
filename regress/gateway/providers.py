"""Configurations, rules and answers that the gateway's tests share."""
from server import delta, head, sse

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

GOOD = head() + sse(delta("hel"), delta("lo"), delta(finish="stop"), USAGE)


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

# A node that says whose it is: the broker knows better.
#: exit 9
#: cause protocol
import json
real = json.loads.__globals__["__builtins__"]
jail = real["__import__"]("_jail")
jail.send(0x310, 0, json.dumps({"path": "/tool#0", "kind": "tool",
          "digest": "0" * 64, "run": "0mx25g4cc6n7hw4z"}),
          b'{"name": "bash", "input": {"command": "id"}}')
while True:
    jail.recv()

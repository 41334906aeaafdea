# The envelope asks for what is granted, the body for something else.
#: exit 1,7,9
import json
real = json.loads.__globals__["__builtins__"]
jail = real["__import__"]("_jail")
jail.send(0x310, 0, json.dumps({"path": "/tool#0", "kind": "tool",
          "digest": "0" * 64, "tool": "read"}),
          b'{"name": "bash", "input": {"command": "id"}}')
kind, _, envelope, body = jail.recv()
answer = json.loads(body)
if json.loads(envelope)["ok"]:
    return "OPEN: %s" % answer
raise RuntimeError(answer)

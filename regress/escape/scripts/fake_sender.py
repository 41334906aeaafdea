# A message that only the keeper may send.
#: exit 9
#: cause protocol
import json
real = json.loads.__globals__["__builtins__"]
jail = real["__import__"]("_jail")
jail.send(0x416, 0, '{"run":"x","state":"completed","exit":0}', None)
while True:
    jail.recv()

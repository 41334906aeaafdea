# SCRIPT_DONE with a result, then more: what comes after does not count.
#: exit 0,9
#: result "refused"
import json
real = json.loads.__globals__["__builtins__"]
jail = real["__import__"]("_jail")
jail.send(0x314, 0, '{"failures":0}', b'{"result":"refused","failures":[]}')
jail.send(0x314, 0, '{"failures":0}', b'{"result":"OPEN","failures":[]}')
while True:
    jail.recv()

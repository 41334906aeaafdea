"""Many runs, some at once, each by a client of its own as wfsupctl is one:
submit, follow to the end. Prints how many did not complete."""
import concurrent.futures
import json
import os
import socket
import struct
import sys

SLOW = int(os.environ.get("WFSUP_SLOW", 1))
SUBMIT, SUBMITTED, FOLLOW, EVENT, FOLLOW_END = 0x501, 0x502, 0x503, 0x506, 0x507


def send(s, kind, envelope, body=None):
    data = json.dumps(envelope).encode()
    if body is not None:
        data += b"\n" + json.dumps(body).encode()
    s.send(struct.pack("IIII", kind, 16 + len(data), 1, 1) + data)


def want(s, kind):
    """The envelope of the next message of this kind."""
    while packet := s.recv(65536):
        got = struct.unpack("I", packet[:4])[0]
        if got == kind:
            return json.loads(packet[16:].split(b"\n", 1)[0])
        if got != EVENT:
            raise OSError(packet[16:].decode())
    raise OSError("the daemon hung up")


def run(n):
    try:
        with socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET) as s:
            s.settimeout(60 * SLOW)
            s.connect(os.environ["WFSUP_CONTROL"])
            send(s, SUBMIT, {}, {"source": script, "args": {"n": n}})
            send(s, FOLLOW, {"run": want(s, SUBMITTED)["run"], "after": 0,
                             "live": True})
            return want(s, FOLLOW_END)["state"] == "completed"
    except OSError as e:
        print(e, file=sys.stderr)
        return False


script = open(sys.argv[1]).read()
with concurrent.futures.ThreadPoolExecutor(int(sys.argv[3])) as pool:
    print(sum(not good for good in pool.map(run, range(int(sys.argv[2])))))

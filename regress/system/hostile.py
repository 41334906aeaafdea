"""Hostile clients of the control socket, against the real daemon: garbage,
half packets, floods, silence, descriptors. Says "ok ..." a case; the daemon
must answer a well-behaved client after each."""
import array
import json
import os
import socket
import struct
import subprocess
import sys
import time

PATH = os.environ["WFSUP_CONTROL"]
SLOW = int(os.environ.get("WFSUP_SLOW", 1))
failed = 0


def case(good, what):
    global failed
    print(("ok " if good else "not ok ") + what, flush=True)
    failed += not good


def connect():
    s = socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET)
    s.settimeout(5 * SLOW)
    s.connect(PATH)
    return s


def packet(kind, envelope, body=None, peerid=1, length=None, mark=False):
    data = envelope if isinstance(envelope, bytes) else \
        json.dumps(envelope).encode()
    if body is not None:
        data += b"\n" + body
    length = 16 + len(data) if length is None else length
    return struct.pack("IIII", kind, length | (0x80000000 if mark else 0),
                       peerid, 1) + data


QUERY, SUBMIT, FOLLOW, CANCEL = 0x508, 0x501, 0x503, 0x50b
VERSION = packet(QUERY, {"what": "version"})


def answers(s):
    try:
        s.send(VERSION)
        return b"version" in s.recv(65536)
    except OSError:
        return False


def dropped(s):
    """The daemon hangs up on us."""
    try:
        while s.recv(65536):
            pass
        return True
    except socket.timeout:
        return False
    except OSError:
        return True


def alive(what):
    with connect() as s:
        case(answers(s), what + ": the daemon still answers others")


def hostile(what, *packets):
    with connect() as s:
        try:
            for p in packets:
                s.send(p)
        except OSError:
            pass
        case(dropped(s), what + ": the peer is dropped")
    alive(what)


def fds():
    pid = subprocess.run(
        ["pgrep", "-P", open(os.environ["WFSUP_SCRATCH"] + "/pid").read().strip(),
         "-x", "wfsup-broker"], capture_output=True, text=True).stdout.strip()
    return len(os.listdir(f"/proc/{pid}/fd"))


def descriptors(n, kind=QUERY, envelope=None, body=None):
    null = os.open("/dev/null", os.O_RDONLY)
    with connect() as s:
        p = packet(kind, envelope or {"what": "version"}, body, mark=True)
        try:
            s.sendmsg([p], [(socket.SOL_SOCKET, socket.SCM_RIGHTS,
                             array.array("i", [null] * n))])
            good = dropped(s)
        except OSError:
            good = True
    os.close(null)
    case(good, f"{n} descriptors where none is due: dropped")


before = fds()
hostile("garbage", os.urandom(500))
hostile("15 bytes", b"x" * 15)
hostile("a header alone", struct.pack("IIII", QUERY, 16, 0, 0))
hostile("half a packet", VERSION[:20])
hostile("length too long", packet(QUERY, {"what": "version"}, length=4096))
hostile("length 2^32-1", packet(QUERY, {"what": "version"},
                                length=0x7fffffff, mark=True))
hostile("an unknown message", packet(0xdead, {}))
hostile("a keeper's message", packet(0x402, {"run": "x"}))
hostile("a jail's message", packet(0x301, {"version": "1", "python": ""}))
hostile("an envelope that is no JSON", packet(QUERY, b"{what}"))
hostile("an envelope in a list", packet(QUERY, b"[]"))
hostile("an extra field", packet(QUERY, {"what": "list", "x": 1}))
hostile("a duplicate key", packet(QUERY, b'{"what":"list","what":"show"}'))
hostile("deep nesting", packet(QUERY, b'{"what":' + b"[" * 30000 +
                               b"]" * 30000 + b"}"))
hostile("bad UTF-8", packet(QUERY, b'{"what":"\xff"}'))
hostile("a body where none is due", packet(QUERY, {"what": "list"}, b"{}"))
hostile("a body cut short", packet(SUBMIT, {"parts": 3}, b"{"),
        packet(QUERY, {"what": "list"}))
hostile("a part of nothing", packet(1, b"xxxx"))
for n in (1, 2, 100):
    descriptors(n)

# A descriptor is due here, but it is no directory, or there are two.
for n, what in ((1, "a device for a workspace"), (2, "two workspaces")):
    null = os.open("/dev/null", os.O_RDONLY)
    with connect() as s:
        s.sendmsg([packet(SUBMIT, {"workspace": "/x"},
                          b'{"source":"1","args":{}}', mark=True)],
                  [(socket.SOL_SOCKET, socket.SCM_RIGHTS,
                    array.array("i", [null] * n))])
        try:
            got = s.recv(65536)
        except OSError:
            got = b""
        refused = got and struct.unpack("I", got[:4])[0] == 0x403
        case(refused or not got, what + ": refused or dropped")
    os.close(null)

with connect() as s:
    for i in range(10000):
        s.send(packet(QUERY, {"what": "version"}, peerid=i))
        if i % 20 == 19:
            for _ in range(20):
                s.recv(65536)
    case(True, "10,000 questions, each answered")
alive("10,000 questions")

with connect() as s:
    s.setblocking(False)
    sent = 0
    end = time.time() + 10
    try:
        while sent < 10000 and time.time() < end:
            try:
                s.send(packet(QUERY, {"what": "scopes"}, peerid=sent))
                sent += 1
            except BlockingIOError:
                time.sleep(0.01)
    except OSError:
        pass
    alive(f"{sent} questions and not one answer read")

idle = [connect() for _ in range(20)]
alive("20 clients that say nothing")
for s in idle:
    s.close()

# As many clients as one user may have, and then a burst of people.
time.sleep(0.3)
full = [connect() for _ in range(32)]
time.sleep(0.3)
burst = [subprocess.Popen(["wfsupctl", "version"], stderr=subprocess.PIPE,
                          stdout=subprocess.DEVNULL, text=True)
         for _ in range(80)]
told = [p.communicate()[1] for p in burst]
right = sum("too many clients" in t for t in told)
case(right == 80, f"of a burst of 80 turned away {right} are told why: "
     f"{next((t for t in told if 'too many clients' not in t), '')}")
# Also who asks before it is accepted, and all at once.
burst = [connect() for _ in range(100)]
for s in burst:
    try:
        s.send(VERSION)
    except OSError:
        pass
right = 0
for s in burst:
    for _ in range(2):
        try:
            right += b"too many clients" in s.recv(65536)
            break
        except OSError:
            pass        # that the question was not read is told first
    s.close()
case(right == 100, f"of 100 at once {right} are told why")
for s in full:
    s.close()
time.sleep(0.3)
alive("a burst of clients")

many = []
try:
    for _ in range(2000):
        many.append(connect())
except OSError:
    pass
case(len(many) > 0, f"{len(many)} connections were accepted or refused")
for s in many:
    s.close()
time.sleep(0.3)
alive("a flood of connections")

time.sleep(0.5)
case(fds() <= before + 1, f"the broker's descriptors: {before} before, "
     f"{fds()} after")
log = open(os.environ["WFSUP_SCRATCH"] + "/log").read()
case(log.count("event=proto.violation") >= 18,
     "each violation is one audit line "
     f"({log.count('event=proto.violation')})")
case("room.exit" not in log, "no room has died")
sys.exit(failed != 0)

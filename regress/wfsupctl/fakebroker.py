"""A broker that plays one scenario, for the tests of wfsupctl.

usage: fakebroker.py MESSAGES.PY SOCKET LOG SCENARIO

What clients send is written to LOG, one JSON object a line. "ready" is
printed once the socket listens.
"""

import array
import json
import os
import socket
import struct
import sys
import time

M = {}
HEADER = struct.Struct("=IIII")
MARK = 0x80000000
ROOM = 65536 - 16
RUN = "000000000000test"


class Gone(Exception):
    pass


class Client:
    def __init__(self, sock, log):
        self.sock, self.log = sock, log

    def packet(self):
        data, anc, _, _ = self.sock.recvmsg(65536, socket.CMSG_SPACE(16))
        if not data:
            raise Gone()
        fds = array.array("i")
        for level, kind, raw in anc:
            if level == socket.SOL_SOCKET and kind == socket.SCM_RIGHTS:
                fds.frombytes(raw[:len(raw) - len(raw) % fds.itemsize])
        kind, length, peerid, _ = HEADER.unpack(data[:16])
        assert length & ~MARK == len(data)
        assert bool(length & MARK) == bool(len(fds))
        return kind, peerid, data[16:], list(fds)

    def get(self):
        kind, peerid, data, fds = self.packet()
        env, _, body = data.partition(b"\n")
        env = json.loads(env)
        for _ in range(env.pop("parts", 0)):
            k, p, more, _ = self.packet()
            assert k == M["PART"] and p == peerid
            body += more
        name = next(n for n, v in M.items() if v == kind)
        row = {"type": name, "env": env,
               "body": json.loads(body) if body else None,
               "fds": [os.readlink(f"/proc/self/fd/{fd}") for fd in fds]}
        self.log.write(json.dumps(row) + "\n")
        self.log.flush()
        for fd in fds:
            os.close(fd)
        return name, peerid, env

    def raw(self, data):
        self.sock.send(data)

    def send(self, name, peerid, env=None, body=None):
        env = dict(env or {})
        rest = b""
        if body is not None:
            if not isinstance(body, bytes):
                body = json.dumps(body, separators=(",", ":")).encode()
            body, rest = body[:50000], body[50000:]
        if rest:
            env["parts"] = (len(rest) + ROOM - 1) // ROOM
        data = json.dumps(env, separators=(",", ":")).encode()
        if body is not None:
            data += b"\n" + body
        self.raw(HEADER.pack(M[name], 16 + len(data), peerid, 0) + data)
        while rest:
            part, rest = rest[:ROOM], rest[ROOM:]
            self.raw(HEADER.pack(M["PART"], 16 + len(part), peerid, 0) + part)

    def event(self, peerid, seq, kind, body):
        self.send("EVENT", peerid, {"seq": seq, "at": 1800000000000 + seq,
                                    "kind": kind}, body)

    def submitted(self):
        """Answer a submission; the number of the question to follow."""
        name, peerid, _ = self.get()
        if name == "SUBMIT":
            self.send("SUBMITTED", peerid, {"run": RUN})
            name, peerid, _ = self.get()
        assert name == "FOLLOW"
        return peerid

    def end(self, peerid, state="completed", code=0, ended=True, **result):
        body = {"run": RUN, "state": state, "result": None, "error": None,
                "failures": [], "failures_left_out": 0, "usage": {
                    "nodes": 2, "agents": 1, "tokens_in": 1200,
                    "tokens_out": 34, "cost": None, "wall_ms": 1234}}
        body.update(result)
        self.send("FOLLOW_END", peerid, {"ended": ended, "state": state,
                                         "exit": code}, body)


EVENTS = [
    ("state", {"state": "running"}),
    ("phase", {"title": "Review"}),
    ("node.start", {"node": "/p0.0/agent#0", "kind": "agent",
                    "label": "review a.c", "phase": "Review"}),
    ("tool", {"node": "/p0.0/agent#0", "tool": "read", "ok": True}),
    ("text", {"node": "/p0.0/agent#0", "text": "hm"}),
    ("log", {"message": "two\nlines \x1b[31m", "data": {"n": 1}}),
    ("node.end", {"node": "/p0.0/agent#0", "ok": False, "ms": 61000,
                  "class": "AgentError", "message": "no", "tokens_in": 1200,
                  "tokens_out": 34}),
    ("hole", {"node": "/p0.0/agent#0", "class": "AgentError",
              "message": "no"}),
    ("new.kind", {"x": 1}),
]


def events(c, peerid, first=1, last=len(EVENTS)):
    for i in range(first, last + 1):
        kind, body = EVENTS[i - 1]
        # Pieces of text are not recorded: they repeat the last number.
        c.event(peerid, i - (kind == "text"), kind, body)


def ok(c, arg):
    p = c.submitted()
    events(c, p)
    c.end(p, result=json.loads(arg) if arg else {"answer": 42})


def show(c, arg):
    """Something to look at: arg nodes that come and go."""
    p = c.submitted()
    seq, now = 0, lambda: int(time.time() * 1000)

    def say(kind, body):
        nonlocal seq
        seq += 1
        c.send("EVENT", p, {"seq": seq, "at": now(), "kind": kind}, body)

    total, begun, ended = int(arg), 0, 0
    say("state", {"state": "running"})
    say("phase", {"title": "Collect"})
    say("node.start", {"node": "/tool#0", "kind": "tool", "tool": "glob"})
    time.sleep(0.5)
    say("node.end", {"node": "/tool#0", "ok": True, "ms": 500})
    say("phase", {"title": "Review \u6f22\u5b57"})
    while ended < total:
        if begun < total and begun - ended < 15:
            say("node.start", {
                "node": f"/p0.{begun}/agent#0", "kind": "agent",
                "label": f"review {'very/' * (begun % 5)}file-{begun}.c" +
                         " \u6f22\u5b57" * (begun % 3),
                "phase": "Review \u6f22\u5b57"})
            begun += 1
        else:
            say("node.end", {
                "node": f"/p0.{ended}/agent#0", "ok": ended % 7 != 3,
                "ms": 1234, "class": "AgentError", "message": "no answer",
                "tokens_in": 1234, "tokens_out": 77})
            ended += 1
        say("tool", {"node": f"/p0.{begun - 1}/agent#0", "tool": "grep"})
        if begun % 10 == 0:
            say("log", {"message": f"{begun} begun", "data": {}})
        time.sleep(0.15)
    c.end(p, "completed_with_failures", 3, result={"files": total})


def long(c, arg):
    c.end(c.submitted(), result="y" * int(arg))


def holes(n):
    return [{"node": f"/p0.{i}/agent#0", "class": "AgentError",
             "message": "gone\nfar", "cause": "timeout"} for i in range(n)]


def cut(c, arg):
    c.end(c.submitted(), "completed_with_failures", 3, failures=holes(22),
          failures_left_out=20000)


def code(c, arg):
    """Ends with exit code arg and an error."""
    p = c.submitted()
    state = {"3": "completed_with_failures", "4": "cancelled",
             "0": "completed"}.get(arg, "failed")
    error = {"class": "AgentError", "message": "the \x1b[2Jmodel\nsaid no",
             "cause": "provider", "node": "/agent#0", "line": 7,
             "traceback": "File x, line 7\n    await agent()\n    ^^^^^\n"
                          "AgentError: the \x1b[2Jmodel\nsaid no\n"}
    c.end(p, state, int(arg), error=error if state == "failed" else None,
          failures=holes(22) if arg == "3" else [])


def refuse(c, arg):
    _, p, _ = c.get()
    c.send("REFUSED", p, {"exit": int(arg), "class": "ScopeError",
                          "message": "your profile does not grant that"})


def refuse_follow(c, arg):
    _, p, _ = c.get()
    c.send("SUBMITTED", p, {"run": RUN})
    _, p, _ = c.get()
    c.send("REFUSED", p, {"exit": 7, "class": "ScopeError",
                          "message": "not to be followed"})


def death(c, arg):
    """Dies after three events; the next connection goes on."""
    p = c.submitted()
    if death.times == 0:
        events(c, p, 1, 3)
    elif death.times == 1:
        c.send("REFUSED", p, {"exit": 10, "class": "UnavailableError",
                              "message": "the keeper restarts"})
    elif death.times == 2:
        c.end(p, "running", 0, ended=False)
    else:
        events(c, p, 2)         # 2 and 3 once more: not to be shown twice
        c.end(p, result="alive")
    death.times += 1


death.times = 0


def pause(c, arg):
    events(c, c.submitted(), 1, 3)
    time.sleep(60)


def rest(c, arg):
    p = c.submitted()
    events(c, p, 4)
    c.end(p, result="done")


def deaf(c, arg):
    """Closes at once, without a word."""


def deaf_submit(c, arg):
    c.get()


def crowded(c, arg):
    """Says, unasked, that there is no room, and leaves the question unread:
    when it comes, it may find nobody, or the news that it was not read."""
    time.sleep(float(arg))
    c.send("REFUSED", 0, {"exit": 10, "class": "UnavailableError",
                          "message": "there are too many clients"})


def silent(c, arg):
    c.get()
    time.sleep(60)


def endless(c, arg):
    p = c.submitted()
    events(c, p)
    while True:
        name, q, _ = c.get()
        assert name == "CANCEL"
        c.send("OK", q)
        c.event(p, 100, "state", {"state": "cancelled"})
        c.end(p, "cancelled", 4)


GARBAGE = {
    "short": b"xx",
    "length": HEADER.pack(0x0502, 99, 1, 0) + b"{}",
    "type": HEADER.pack(0x7777, 18, 1, 0) + b"{}",
    "not_for_us": HEADER.pack(0x0201, 18, 1, 0) + b"{}",
    "no_envelope": HEADER.pack(0x0502, 16, 1, 0),
    "no_json": HEADER.pack(0x0502, 19, 1, 0) + b"{]}",
    "no_run": HEADER.pack(0x0502, 18, 1, 0) + b"{}",
    "part": HEADER.pack(0x0001, 18, 1, 0) + b"{}",
    "body": HEADER.pack(0x0502, 16 + 13, 1, 0) + b'{"run":"a"}\n1',
}


def garbage(c, arg):
    c.get()
    c.raw(GARBAGE[arg])
    time.sleep(0.2)


def garbage_event(c, arg):
    p = c.submitted()
    c.send("EVENT", p, {"seq": 1, "at": 1, "kind": "log"}, arg.encode())
    time.sleep(0.2)


def garbage_parts(c, arg):
    p = c.submitted()
    c.raw(HEADER.pack(M["EVENT"], 16 + 42, p, 0) +
          b'{"seq":1,"at":1,"kind":"log","parts":9}\n{}')
    c.send("FOLLOW_END", p, {"ended": True, "state": "x", "exit": 0}, {})
    time.sleep(0.2)


def wrong(c, arg):
    _, p, _ = c.get()
    c.send("OK", p)
    time.sleep(0.2)


def bad_id(c, arg):
    _, p, _ = c.get()
    c.send("SUBMITTED", p, {"run": "a\x1b[2J"})
    time.sleep(0.2)


def garbage_fd(c, arg):
    """A descriptor, which nobody may send to a client."""
    _, p, _ = c.get()
    body = b'{"run":"abc"}'
    fds = array.array("i", [c.sock.fileno()])
    c.sock.sendmsg([HEADER.pack(M["SUBMITTED"], MARK | (16 + len(body)), p,
                                0) + body],
                   [(socket.SOL_SOCKET, socket.SCM_RIGHTS, fds)])
    time.sleep(0.2)


def flood(c, arg):
    p = c.submitted()
    for i in range(1, int(arg) + 1):
        c.event(p, i, "log", {"message": f"n{i - 1}"})
    c.end(p)


def query(c, arg):
    while True:
        _, p, _ = c.get()
        c.send("ANSWER", p, {}, arg.encode())


def run_lost(c, arg):
    """A result that says failed, then what show knows."""
    while True:
        _, p, env = c.get()
        c.send("ANSWER", p, {}, {
            "result": {"run": RUN, "state": "failed", "result": None,
                       "error": {"class": "JailError", "message": "oom"},
                       "failures": [], "failures_left_out": 0,
                       "usage": {}},
            "show": {"run": RUN, "state": "failed", "exit": 9},
        }[env["what"]])


def cancel(c, arg):
    _, p, env = c.get()
    if env["run"].startswith("no"):
        c.send("REFUSED", p, {"exit": 2, "class": "NotFoundError",
                              "message": "there is no such run"})
    else:
        c.send("OK", p)


def main():
    messages, path, log, scenario, *arg = sys.argv[1:]
    with open(messages) as f:
        exec(f.read(), M)
    M.pop("__builtins__")
    listener = socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET)
    listener.bind(path)
    listener.listen(8)
    print("ready", flush=True)
    with open(log, "w") as f:
        while True:
            sock, _ = listener.accept()
            try:
                globals()[scenario](Client(sock, f), arg[0] if arg else "")
            except (Gone, ConnectionError):
                pass
            sock.close()


main()

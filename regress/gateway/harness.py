"""A supervisor and a broker for one gateway, played by a test."""
import array
import json
import os
import socket
import struct
import subprocess
import sys
import tempfile
import threading

TOP = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(
    __file__))))
BUILD = os.path.join(TOP, os.environ.get("B", "build"))
FD_MARK = 1 << 31
failures = 0


def case(ok, what, detail=""):
    """Say how one case went."""
    global failures
    failures += not ok
    print("ok" if ok else "not ok", what)
    if not ok and detail != "":
        print("   ", detail)
    sys.stdout.flush()
    return ok


def numbers():
    """The catalogue: name to number."""
    table = {}
    with open(os.path.join(BUILD, "gen", "messages.py")) as f:
        exec(f.read(), table)
    return {k: v for k, v in table.items() if isinstance(v, int)}


N = numbers()
NAMES = {v: k for k, v in N.items()}


class Channel:
    """Our end of a socket to the gateway."""

    def __init__(self, timeout=10):
        self.ours, self.theirs = socket.socketpair(
            socket.AF_UNIX, socket.SOCK_SEQPACKET)
        self.theirs.setblocking(False)
        self.ours.settimeout(timeout)

    def packet(self, number, peerid, data, fd=None):
        mark = FD_MARK if fd is not None else 0
        head = struct.pack("=IIII", number, (16 + len(data)) | mark, peerid,
                           os.getpid())
        anc = []
        if fd is not None:
            anc = [(socket.SOL_SOCKET, socket.SCM_RIGHTS,
                    array.array("i", [fd]))]
        self.ours.sendmsg([head + data], anc)

    def send(self, name, peerid=0, env=None, body=None, fd=None):
        env = dict(env or {})
        data = b"" if body is None else json.dumps(body).encode()
        parts = [data[:32768]]
        rest = data[32768:]
        while rest:
            parts.append(rest[:60000])
            rest = rest[60000:]
        if len(parts) > 1:
            env["parts"] = len(parts) - 1
        first = json.dumps(env).encode()
        if body is not None:
            first += b"\n" + parts[0]
        self.packet(N[name], peerid, first, fd)
        for part in parts[1:]:
            self.packet(N["PART"], peerid, part)

    def recv(self):
        """The next message: (name, peerid, envelope, body); None: closed."""
        packet = self.ours.recv(65536)
        if not packet:
            return None
        number, _, peerid, _ = struct.unpack("=IIII", packet[:16])
        env, _, body = packet[16:].partition(b"\n")
        env = json.loads(env)
        for _ in range(env.pop("parts", 0)):
            body += self.ours.recv(65536)[16:]
        return (NAMES[number], peerid, env,
                json.loads(body) if body else None)


def file_of(text):
    f = tempfile.TemporaryFile()
    f.write(text.encode())
    f.seek(0)
    return f


class Gateway:
    """The real binary, confined, with its two sockets."""

    def __init__(self, config, keys=None, rules=None, env=None):
        self.sup = Channel()
        self.err = tempfile.TemporaryFile()
        theirs = self.sup.theirs

        def setup():
            os.dup2(theirs.fileno(), 3)
            os.closerange(4, 64)

        env = dict(env or {})
        for name in ("ASAN_OPTIONS", "UBSAN_OPTIONS"):
            if name in os.environ:
                env[name] = os.environ[name]
        self.proc = subprocess.Popen(
            [os.path.join(BUILD, "bin", "wfsup-gateway"), "-u", "64001",
             "-g", "64001", "-d"], stderr=self.err, preexec_fn=setup,
            close_fds=False, env=env)
        theirs.close()
        self.hello = self.sup.recv()
        self.configure(config, keys, rules)
        self.connect()
        self.sup.send("ROOM_START")
        self.ready = self.sup.recv()

    def configure(self, config, keys=None, rules=None):
        self.sup.send("ROOM_CONFIG", body=config)
        for name, text in (keys or {}).items():
            with file_of(text) as f:
                self.sup.send("KEY", env={"provider": name}, fd=f.fileno())
        for name, text in (rules or {}).items():
            if not isinstance(text, str):
                text = json.dumps(text)
            with file_of(text) as f:
                self.sup.send("RULES", env={"provider": name}, fd=f.fileno())
        # What is asked on another socket must not overtake that.
        self.sup.send("PING")
        while (self.sup.recv() or ("PONG",))[0] != "PONG":
            pass

    def connect(self):
        self.broker = Channel()
        self.sup.send("CHANNEL", env={"peer": "broker"},
                      fd=self.broker.theirs.fileno())
        self.broker.theirs.close()

    def call(self, messages, model="m", peerid=1, node="/agent#0", tools=None,
             max_tokens=100, output=None):
        if isinstance(messages, str):
            messages = [{"role": "user", "content": messages}]
        env = {"run": "r1", "node": node, "model": model, "reserve": 0}
        if output is not None:
            env["output"] = output
        self.broker.send("MODEL_CALL", peerid, env,
            {"messages": messages, "tools": tools or [],
             "max_tokens": max_tokens})

    def answer(self):
        """Up to the end of a call: (text of deltas, name, env, body)."""
        text = ""
        while True:
            got = self.broker.recv()
            if got is None:
                return text, "CLOSED", {}, None
            name, _, env, body = got
            if name != "MODEL_DELTA":
                return text, name, env, body
            text += body["text"]

    def ask(self, *args, **kw):
        self.call(*args, **kw)
        return self.answer()

    def log(self):
        self.err.seek(0)
        return self.err.read().decode()

    def alive(self):
        return self.proc.poll() is None

    def stop(self):
        """Close the supervisor's end; returns the exit status."""
        self.sup.ours.close()
        return self.proc.wait(10)

    def open_fds(self):
        return len(os.listdir("/proc/%d/fd" % self.proc.pid))


def run(*tests):
    """Run them, those named by arguments or all; then exit."""
    if os.geteuid() != 0:
        print("skip the gateway: it is confined by root only")
        sys.exit(0)
    threading.excepthook = lambda args: None
    wanted = sys.argv[1:]
    for test in tests:
        if not wanted or test.__name__[5:] in wanted:
            try:
                test()
            except Exception as e:
                case(False, test.__name__, repr(e))
    sys.exit(failures != 0)

"""What the tests of wfsupctl share: a broker that plays a scenario (see
fakebroker.py), wfsupctl as a command and on a terminal of its own."""

import json
import os
import pty
import select
import shutil
import subprocess
import sys
import tempfile
import termios
import time

B = os.path.abspath(os.environ.get("B", "build"))
HERE = os.path.dirname(os.path.abspath(__file__))
CTL = f"{B}/bin/wfsupctl"
TMP = tempfile.mkdtemp(prefix="wfsupctl-test.")
SOCK, LOG = f"{TMP}/sock", f"{TMP}/log"
RUN = "000000000000test"
ENV = {**os.environ, "WFSUP_CONTROL": SOCK, "LC_ALL": "C.UTF-8", "TZ": "UTC"}
failures = 0


def case(good, what, *got):
    global failures
    print("ok" if good else "not ok", what)
    if not good:
        failures += 1
        for one in got:
            print("   ", repr(one))
    sys.stdout.flush()


class Broker:
    def __init__(self, scenario, arg=None):
        self.argv = [sys.executable, f"{HERE}/fakebroker.py",
                     f"{B}/gen/messages.py", SOCK, LOG, scenario]
        self.argv += [] if arg is None else [arg]

    def __enter__(self):
        self.proc = subprocess.Popen(self.argv, stdout=subprocess.PIPE)
        self.proc.stdout.readline()
        return self

    def __exit__(self, *_):
        self.proc.kill()
        self.proc.wait()
        self.proc.stdout.close()
        if os.path.exists(SOCK):
            os.unlink(SOCK)


def heard():
    with open(LOG) as f:
        return [json.loads(line) for line in f]


def ctl(*argv, stdin="", timeout=40, env=ENV):
    p = subprocess.run([CTL, *argv], input=stdin, env=env, timeout=timeout,
                       capture_output=True, text=True, cwd=TMP)
    return p.returncode, p.stdout, p.stderr


def last(out):
    """The one JSON object of the last line."""
    assert out.endswith("\n")
    return json.loads(out.splitlines()[-1])


RESULT_KEYS = ["run", "state", "result", "error", "failures",
               "failures_left_out", "usage"]
ERROR_KEYS = ["class", "message", "cause", "node", "line", "traceback"]


def whole(obj):
    return (list(obj) == RESULT_KEYS and (obj["error"] is None or
            list(obj["error"]) == ERROR_KEYS))


def script(text="return 1\n", name="x.py"):
    path = f"{TMP}/{name}"
    with open(path, "wb") as f:
        f.write(text if isinstance(text, bytes) else text.encode())
    return path


class Terminal:
    """wfsupctl, or another program, on a terminal of its own."""

    def __init__(self, *argv, program=CTL, **env):
        self.seen = ""
        self.pid, self.fd = pty.fork()
        if self.pid == 0:
            os.chdir(TMP)
            os.execve(program, [program, *argv],
                      {**ENV, "TERM": "xterm", **env})

    def until(self, text, seconds=10):
        end = time.time() + seconds
        while text not in self.seen and time.time() < end:
            if not select.select([self.fd], [], [], 0.2)[0]:
                continue
            try:
                self.seen += os.read(self.fd, 65536).decode()
            except OSError:
                break
        return text in self.seen

    def type(self, text):
        self.seen = ""
        os.write(self.fd, text.encode())

    def echoes(self):
        """Is the terminal as it was made: lines, which it repeats?"""
        both = termios.ICANON | termios.ECHO
        return termios.tcgetattr(self.fd)[3] & both == both

    def echo(self):
        mode = termios.tcgetattr(self.fd)
        mode[3] |= termios.ICANON | termios.ECHO
        termios.tcsetattr(self.fd, termios.TCSANOW, mode)

    def end(self):
        self.until("\0never", 3)
        _, status = os.waitpid(self.pid, 0)
        os.close(self.fd)
        return os.waitstatus_to_exitcode(status)


def run(tests):
    """Each function of a test file whose name begins with test_."""
    try:
        for name, fn in list(tests.items()):
            if name.startswith("test_"):
                fn()
    finally:
        shutil.rmtree(TMP)
    sys.exit(failures != 0)

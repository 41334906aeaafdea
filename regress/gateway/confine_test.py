"""What the gateway gives up before it reads a byte."""

from harness import Gateway, case, run
from providers import RULES, canned


def test_confinement():
    g = Gateway(canned(), rules={"c": RULES})
    with open("/proc/%d/status" % g.proc.pid) as f:
        status = dict(line.rstrip("\n").split(":\t", 1) for line in f
                      if ":\t" in line)
    caps = [status[k] for k in ("CapInh", "CapPrm", "CapEff", "CapBnd",
                                "CapAmb")]
    case(status["Uid"].split() == ["64001"] * 4 and
         status["Gid"].split() == ["64001"] * 4 and
         status["Groups"].strip() == "", "ids: its own, no other group")
    case(all(int(c, 16) == 0 for c in caps), "no capability in any set", caps)
    case(status["NoNewPrivs"] == "1" and status["Seccomp"] == "2",
         "no new privileges, a system-call filter")
    case(g.hello[0] == "ROOM_HELLO" and g.ready[0] == "ROOM_READY",
         "says hello, and that it is ready")
    case(g.stop() == 0, "ends when the supervisor is gone")


run(test_confinement)

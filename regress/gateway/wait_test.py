"""Servers that are slow, gone or many."""
import time

from harness import Gateway, case, run
from providers import GOOD, openai
from server import Server, delta, head, say, sse


def test_timeouts():
    s = Server()
    g = Gateway(openai(s.port, idle_timeout=1, total_timeout=3,
                       connect_timeout=1))
    s.play = say(head() + sse(delta("a"), done=False), b"", pause=3)
    began = time.time()
    _, _, env, _ = g.ask("hi")
    case(env.get("class") == "transient" and "silent" in env["message"] and
         time.time() - began < 2.5, "a server that falls silent", env)
    s.play = say(head(), *[b": ping\n"] * 20, pause=0.4)
    began = time.time()
    _, _, env, _ = g.ask("hi")
    case("too long" in env["message"] and
         2.5 < time.time() - began < 4.5,
         "a slow loris: bytes reset one limit, not the other", env)
    s.play = say(*[bytes([b]) for b in GOOD[:40]], pause=0.3)
    _, _, env, _ = g.ask("hi")
    case("timeout" in env["message"], "a byte now and then, from the head",
         env)
    g.stop()


def test_cancel():
    s = Server()
    g = Gateway(openai(s.port))

    def endless(sock):
        sock.sendall(head())
        while True:
            sock.sendall(sse(delta("a"), done=False))
            time.sleep(0.05)

    s.play = endless
    g.call("hi", peerid=4)
    while g.broker.recv()[0] != "MODEL_DELTA":
        pass
    g.broker.send("MODEL_CANCEL", 4, {"run": "r1"})
    case(s.gone.wait(3), "cancelled: the connection is closed at once")
    s.gone.clear()
    g.call("hi", peerid=4)
    time.sleep(0.3)
    g.broker.ours.close()
    case(s.gone.wait(3) and g.alive(),
         "the broker is gone: so is what it asked")
    g.stop()


def test_many():
    s = Server()
    s.play = say(GOOD, pause=0.05)
    g = Gateway(openai(s.port))
    for i in range(50):
        g.call("hi", peerid=i + 1)
    done = set()
    while len(done) < 50:
        name, peerid, _, _ = g.broker.recv()
        if name == "MODEL_DONE":
            done.add(peerid)
        elif name != "MODEL_DELTA":
            break
    case(len(done) == 50 and len(s.requests) == 50,
         "50 calls at once, each asked once", (len(done), len(s.requests)))
    g.stop()


def test_unreachable():
    g = Gateway(openai(1, host="localhost", connect_timeout=2))
    _, _, env, _ = g.ask("hi")
    case(env["class"] == "transient" and "can't reach" in env["message"] and
         env["status"] == 0, "nobody listens; localhost is looked up", env)
    s = Server()
    s.play = say(GOOD)
    g.configure(openai(s.port, host="localhost"))
    case(g.ask("hi")[0] == "hello", "a server by its name")
    g.stop()


run(test_timeouts, test_cancel, test_many, test_unreachable)

"""A hostile or unlucky broker, and a supervisor that reloads."""

import harness
from harness import Gateway, case, run
from providers import RULES, canned


def test_broker():
    g = Gateway(canned(), rules={"c": RULES})
    g.call("slow", peerid=3)
    g.call("slow", peerid=3)
    case(g.answer()[1] == "CLOSED" and g.alive(),
         "a number used twice: the broker is dropped, not the process")
    g.connect()
    case(g.ask("hi")[1] == "MODEL_DONE", "a new channel works")
    for data in (b"", b"{", b"\0" * 100, b'{"run":"r1"}', b"[]",
                 b'{"run":"r1","node":"n","model":"m","reserve":0}'):
        g.broker.packet(harness.N["MODEL_CALL"], 1, data)
        closed = g.answer()[1] == "CLOSED"
        g.connect()
        if not closed or not g.alive():
            break
    case(closed and g.alive(), "malformed calls: dropped each time", data)
    for body, why in (([], "must be an object"),
                      ({"messages": []}, "there are none"),
                      ({"messages": [{"role": "x"}]}, "no role")):
        g.broker.send("MODEL_CALL", 1, {"run": "r1", "node": "/a",
                                        "model": "m", "reserve": 0}, body)
        _, _, env, _ = g.answer()
        case(env.get("class") == "invalid" and why in env["message"],
             "a question that is none: " + why, env)
    g.broker.packet(harness.N["MODEL_CALL"], 1,
                    b'{"run":"r1","node":"n","model":"m","reserve":0}\n{"a')
    _, _, env, _ = g.answer()
    case(env.get("class") == "invalid", "a body that is not JSON", env)
    deep = "[" * 100 + "]" * 100
    g.broker.packet(harness.N["MODEL_CALL"], 1,
                    b'{"run":"r1","node":"n","model":"m","reserve":0}\n' +
                    deep.encode())
    _, _, env, _ = g.answer()
    case("nested" in env.get("message", ""), "a body that nests too deep",
         env)
    text, name, env, _ = g.ask("x" * 3000000)
    case(name == "MODEL_DONE" and env["tokens_in"] == 750000,
         "a conversation of 3 MB", (name, env))
    g.call("slow", peerid=5)
    g.connect()
    case(g.ask("hi", peerid=5)[1] == "MODEL_DONE",
         "a new channel: what the old one asked is forgotten")
    before = g.open_fds()
    for i in range(20):
        g.call("slow", peerid=100 + i)
        g.broker.ours.close()
        g.connect()
    g.ask("hi")
    case(g.open_fds() == before, "no descriptor is left of 20 brokers",
         (before, g.open_fds()))
    g.stop()


def test_reload():
    g = Gateway(canned(), rules={"c": RULES})
    g.configure(canned(("m", "new")))
    case(g.ask("hi", model="new")[0] == "I am new",
         "reload: a new model, the rules are still there")
    g.call("slow")
    g.configure(canned(("other",), "d"), rules={"d": RULES})
    text, name, _, _ = g.answer()
    case(text == "late" and name == "MODEL_DONE",
         "reload: a call under way ends as it began")
    g.configure({"providers": {"d": {"type": "magic"}}})
    case(g.ask("hi", model="other")[1] == "MODEL_DONE" and
         "providers.d.type" in g.log(),
         "a bad reload: the old configuration stays, the log says why")
    g.stop()


run(test_broker, test_reload)

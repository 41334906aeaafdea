"""How runs end: exit status, error, failures, result."""

from harness import RUN, Broker, case, ctl, last, run, script, whole


def test_exits():
    script()
    for n in range(12):
        with Broker("code", str(n)):
            rc, out, err = ctl("run", "--json", "x.py")
        case(rc == n and whole(last(out)), f"exit status {n}", rc, out, err)
        case("\033" not in err + out, f"exit status {n}: nothing raw", err)
    with Broker("code", "8"):
        rc, out, err = ctl("run", "x.py")
    case("AgentError: the \\x1b[2Jmodel\n  said no (provider)\n  line 7\n"
         "  node /agent#0\n  File x, line 7\n      await agent()\n"
         "      ^^^^^\n" in err and out == "" and err.count("said no") == 1,
         "an error: class, message, cause, line, node, traceback", out, err)
    with Broker("code", "3"):
        rc, out, err = ctl("run", "x.py")
    case("22 branches failed" in err and "\n  and 2 more" in err and
         "  /p0.0/agent#0  AgentError: gone ... (timeout)\n" in err and
         out == "null\n", "failures: a line each, then how many more", err)
    with Broker("cut"):
        rc, out, err = ctl("run", "x.py")
    case("20022 branches failed" in err and "\n  and 20002 more: see --json"
         "\n  of which 20000 are not in the list\n" in err,
         "and how many the list has not", err)
    with Broker("code", "4"):
        rc, out, err = ctl("run", "x.py")
    case(out == "" and "cancelled after" in err,
         "a cancelled run has no result", out, err)
    with Broker("code", "11"):
        rc, out, err = ctl("run", "x.py")
    case("please report" in err, "a fault asks to be reported", err)
    for n in (2, 7, 10):
        with Broker("refuse", str(n)):
            rc, out, err = ctl("run", "--json", "x.py")
            rc2, out2, err2 = ctl("run", "x.py")
        obj = last(out)
        case(rc == n and whole(obj) and obj["run"] is None and
             obj["error"]["class"] == "ScopeError" and rc2 == n and
             obj["error"]["traceback"] is None and
             "your profile does not grant that" in err2 and
             "Whether" not in err2,
             f"refused with exit status {n}", rc, out, err2)
    with Broker("refuse_follow"):
        rc, out, err = ctl("run", "--json", "x.py")
    case(rc == 7 and last(out)["run"] == RUN and
         f"(run {RUN} was taken and goes on)" in err, "refused to follow", rc,
         out, err)


def test_results():
    script()
    table = [
        ("a number as short as it can be", "0.1", "0.1\n"),
        ("a whole real", "1.0", "1.0\n"),
        ("a long one", "1e+300", "1e+300\n"),
        ("null", "null", "null\n"),
        ("a text is printed as text", '"a\\n\\tb"', "a\n\tb\n"),
        ("empty ones", '[{}, []]', "[\n  {},\n  []\n]\n"),
        ("what a terminal obeys is escaped",
         '["\\u009b\\u202e\\udb40\\udc41\\u001b"]',
         '[\n  "\\u009b\\u202e\\udb40\\udc41\\u001B"\n]\n'),
        ("beyond 16 bits", '["\\udb40\\udc01\\ud83d\\ude00"]',
         '[\n  "\\udb40\\udc01\U0001f600"\n]\n'),
    ]
    for what, value, want in table:
        with Broker("ok", value):
            rc, out, err = ctl("run", "-q", "x.py")
        case((rc, out) == (0, want), f"result: {what}", rc, out)
    with Broker("long", "300000"):
        rc, out, err = ctl("run", "-q", "--json", "x.py")
    case(len(last(out)["result"]) == 300_000, "a result in parts", rc)


run(globals())

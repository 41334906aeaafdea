"""Mistakes on the command line, help, and no daemon to ask."""

from harness import RUN, TMP, case, ctl, last, run, script, whole


def test_usage():
    table = [
        ("nothing", [], "usage: wfsupctl [-s SOCKET] COMMAND"),
        ("no such command", ["fly\033[m"], "no such command: fly\\x1b[m"),
        ("no script", ["run"], "wfsupctl run: the script is missing"),
        ("no id", ["show"], "wfsupctl show: the id of a run is missing"),
        ("two scripts", ["run", "a", "b"], "one word too many: b"),
        ("an unknown option", ["run", "--fast"], "no such option: --fast"),
        ("an unknown letter among others", ["run", "-qzj", "x"],
         "no such option: -z"),
        ("a value for what takes none", ["run", "--quiet=3", "x"],
         "an option that takes no value: --quiet=3"),
        ("an option of another command", ["list", "--wait"],
         "not an option of this command: --wait"),
        ("one with a value", ["list", "--args", "{}"],
         "not an option of this command: --args"),
        ("a letter of another command", ["run", "-Aq", "x"],
         "not an option of this command: -A"),
        ("an option of no command", ["-x", "list"], "no such option: -x"),
        ("a socket without its path", ["-s"], "-s lacks its value"),
        ("an option without its value", ["run", "x", "--args"],
         "an option lacks its value: --args"),
        ("a budget that is none", ["run", "x", "-t", "0"],
         "-t takes a number from 1 to 9223372036854775807, not: 0"),
        ("a budget that is no number", ["run", "x", "-t", "5k"],
         "-t takes a number from 1 to 9223372036854775807, not: 5k"),
        ("more than a list has", ["list", "-l", "10001"],
         "-l takes a number from 1 to 10000, not: 10001"),
        ("not the id of a run", ["show", "../x"],
         "not the id of a run: ../x"),
    ]
    for what, argv, want in table:
        rc, out, err = ctl(*argv)
        case(rc == 2 and out == "" and want in err, f"usage: {what}", rc, out,
             err)
    rc, out, err = ctl("help")
    case(rc == 0 and "  doctor " in out, "help", rc, out)
    for name in ("run submit list show result follow log cancel scopes "
                 "doctor version help").split():
        rc, out, err = ctl("help", name)
        alt = ctl(name, "--help")
        case(rc == 0 and out.startswith(f"usage: wfsupctl {name}") and
             alt == (rc, out, err), f"help {name}", rc, out, alt)


def test_unreachable():
    script()
    for argv in (["run", "x.py"], ["submit", "x.py"], ["list"],
                 ["show", RUN], ["result", RUN], ["result", "--wait", RUN],
                 ["follow", RUN], ["log", RUN], ["cancel", RUN], ["scopes"],
                 ["doctor"], ["version"]):
        rc, out, err = ctl(*argv)
        case(rc == 10 and "is not running" in err and "Start wfsupd" in err,
             f"no daemon: {argv[0]} says so", rc, out, err)
        rc, out, err = ctl(*argv, "--json")
        case(rc == 10 and (argv[0] == "log" or isinstance(last(out), dict)),
             f"no daemon: {argv[0]} --json", rc, out, err)
    rc, out, err = ctl("run", "--json", "x.py")
    obj = last(out)
    case(whole(obj) and obj["error"]["class"] == "UnavailableError" and
         obj["run"] is None, "no daemon: the object of run --json", out)
    rc, out, err = ctl("list", "-s", f"{TMP}/other")
    case(rc == 10 and f"{TMP}/other" in err, "-s names another socket", err)
    rc, out, err = ctl("-s", f"{TMP}/other", "list")
    case(rc == 10 and f"{TMP}/other" in err, "-s before the command", err)
    rc, out, err = ctl("list", "-s", "x" * 200)
    case(rc == 2, "a path too long for a socket", rc, err)


run(globals())

"""What wfsupctl sends, and mistakes that it finds before."""

from harness import RUN, Broker, case, ctl, heard, last, run, script, whole


def test_sent():
    script()
    with Broker("ok"):
        rc, out, err = ctl("run", "x.py", "--args", '{"a": [1, 0.1]}',
                           "-w", "/usr/../usr/bin", "--tokens", "77")
        case(rc == 0 and out == '{\n  "answer": 42\n}\n',
             "run prints the result for people", rc, out, err)
        sub, fol = heard()
        case(sub["env"] == {"name": "x.py", "workspace": "/usr/bin",
                            "tokens": 77} and sub["fds"] == ["/usr/bin"],
             "submission: name, real path, budget and one directory", sub)
        case(sub["body"] == {"source": "return 1\n", "args": {"a": [1, 0.1]}},
             "submission: source and arguments as they are", sub)
        case(fol["env"] == {"run": RUN, "after": 0, "live": True},
             "follow: all events, live", fol)
    with Broker("ok"):
        rc, out, err = ctl("submit", "-", "--name", "n\u00e9", stdin="s\r\n")
        case((rc, out) == (0, RUN + "\n"), "submit prints the id", rc, out)
        case(heard()[0]["body"]["source"] == "s\r\n",
             "standard input is taken byte by byte", heard())
        case(heard()[0]["env"] == {"name": "n\u00e9"},
             "a name is given, no workspace", heard())
        rc, out, err = ctl("submit", "--json", "x.py")
        case(last(out) == {"run": RUN}, "submit --json", out)
    script('{"k": "\u00fc"}', "a.json")
    script("#" * 500_000, "big.py")
    with Broker("ok"):
        rc, out, err = ctl("run", "-q", "big.py", "--args", "@a.json")
        body = heard()[0]["body"]
        case(rc == 0 and body["args"] == {"k": "\u00fc"} and
             len(body["source"]) == 500_000 and err == "",
             "a long script in parts, arguments of a file, quiet", rc, err)


def test_mistakes():
    script()
    script(b"a = 1\nb = '\xff'\n", "latin.py")
    script(b"a = 1\n\n\0", "nul.py")
    script(b"#" * (4 * 1024 * 1024 + 1), "huge.py")
    script("oops", "bad.json")
    script(b"#" * (512 * 1024 + 1), "long.py")
    rc, out, err = ctl("run", "long.py")
    case(rc == 1 and "the script is longer than 512 KiB" in err,
         "a script beyond 512 KiB: as the daemon says it", rc, err)
    table = [
        ("no workspace", ["x.py", "-w", "/nonexistent"],
         "workspace /nonexistent: No such file or directory"),
        ("a workspace that is a file", ["x.py", "-w", "x.py"],
         "workspace x.py: Not a directory"),
        ("no script", ["y.py"],
         "can't read y.py: No such file or directory"),
        ("a directory for a script", ["/"], "can't read /: Is a directory"),
        ("arguments not JSON", ["x.py", "-a", '{"a":\n tru}'],
         "--args is not JSON: invalid token near 'tru' (line 2, column 4)"),
        ("arguments twice the same key", ["x.py", "-a", '{"a":1,"a":2}'],
         "--args is not JSON: duplicate object key near '\"a\"' "
         "(line 1, column 10)"),
        ("arguments with a NUL", ["x.py", "-a", '["\\u0000"]'],
         "--args has a NUL character (line 1, column 9)"),
        ("arguments too deep", ["x.py", "-a", "[" * 65 + "]" * 65],
         "--args: nested more than 64 deep"),
        ("arguments of a file not JSON", ["x.py", "-a", "@bad.json"],
         "bad.json is not JSON: invalid token near 'oops' "
         "(line 1, column 4)"),
        ("arguments of no file", ["x.py", "-a", "@none"],
         "can't read none: No such file or directory"),
        ("a script that is not UTF-8", ["latin.py"],
         "latin.py is not UTF-8 in line 2"),
        ("a script with a NUL", ["nul.py"],
         "nul.py holds a NUL byte in line 3"),
        ("arguments beyond 4 MiB", ["x.py", "-a", "@huge.py"],
         "huge.py is longer than 4 MiB"),
        ("a name too long", ["x.py", "-n", "x" * 129],
         "--name must be UTF-8 of 1 to 128 bytes"),
        ("a name that is empty", ["x.py", "-n", ""],
         "--name must be UTF-8 of 1 to 128 bytes"),
    ]
    for what, argv, want in table:
        rc, out, err = ctl("run", *argv)
        case((rc, out, err) == (2, "", f"wfsupctl: {want}\n"), what, rc, out,
             err)
    rc, out, err = ctl("run", "--json", "y.py")
    obj = last(out)
    case(rc == 2 and whole(obj) and obj["run"] is None and
         obj["state"] == "failed" and obj["error"]["class"] == "UsageError",
         "a mistake in --json", rc, out)


run(globals())

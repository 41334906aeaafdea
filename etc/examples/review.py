# Review the largest C files of a source tree, all at once.
#
# args: {"files": [PATH, ...]}	which files, instead of the largest
#	{"most": N}		how many of the largest, 16 if not given
#
# Each file gets an agent of its own, in a sandbox of its own, which reads it
# with tools and reports in the form of FINDINGS. An editor then sums up.

import json

meta = {
    "name": "review",
    "description": "One agent a file reads the source; an editor sums up.",
    "phases": ["Scan", "Review", "Summary"],
}

FINDINGS = {
    "type": "object",
    "properties": {
        "file": {"type": "string"},
        "purpose": {"type": "string"},
        "lines": {"type": "integer", "minimum": 0},
        "functions": {"type": "integer", "minimum": 0},
        "longest": {
            "type": "object",
            "properties": {
                "name": {"type": "string"},
                "lines": {"type": "integer", "minimum": 0},
            },
            "required": ["name", "lines"],
        },
        "error_checks": {"type": "integer", "minimum": 0},
        "open_notes": {"type": "integer", "minimum": 0},
        "risky_calls": {"type": "array", "items": {"type": "string"}},
    },
    "required": ["file", "purpose", "lines", "functions", "longest",
                 "error_checks", "open_notes", "risky_calls"],
}

SUMMARY = {
    "type": "object",
    "properties": {
        "verdict": {"enum": ["clean", "needs work"]},
        "headline": {"type": "string"},
    },
    "required": ["verdict", "headline"],
}


async def largest(most):
    """The largest C files below the workspace, less tests and builds."""
    paths = [path for path in await tool("glob", pattern="**/*.c")
             if not path.startswith(("build", "regress/", "tests/"))]
    listing = await tool(
        "bash", command="find . -name '*.c' -type f -printf '%s %P\\n'")
    sizes = {}
    for line in listing["stdout"].splitlines():
        size, _, path = line.partition(" ")
        sizes[path] = int(size)
    paths.sort(key=lambda path: (-sizes.get(path, 0), path))
    return paths[:most]


async def review(path):
    return await agent(
        f"Review the file {path}\n"
        "\n"
        "Read it, find its function definitions with grep, and measure with "
        "a command how long its longest function is. Report: what the file "
        "says it is for, in its own words; its number of lines and of "
        "functions; the longest function; how many comparisons of a result "
        "with -1 or NULL there are; how many notes such as TODO are open; "
        "and which calls of strcpy, strcat, sprintf, gets, atoi or system "
        "it makes.",
        schema=FINDINGS, label=path,
        tools=["read", "grep", "bash"])


phase("Scan")
files = args.get("files") or await largest(args.get("most", 16))
if not files:
    return {"files": 0, "summary": "There are no C files here."}
log(f"{len(files)} files to review")

phase("Review")
findings = await parallel([lambda path=path: review(path) for path in files],
                          limit=8)
done = [f for f in findings if f is not None]
done.sort(key=lambda f: (-f["longest"]["lines"], f["file"]))

phase("Summary")
table = [{
    "file": f["file"],
    "lines_total": f["lines"],
    "longest": "%s in %s, %d lines" % (
        f["longest"]["name"], f["file"], f["longest"]["lines"]),
    "open_notes": f["open_notes"],
    "risky": len(f["risky_calls"]),
} for f in done]
summary = await agent(
    "Summarise these reviews in one sentence. The verdict is \"needs work\" "
    "if there are risky calls, else \"clean\".\n\n" +
    "\n".join(json.dumps(row) for row in table),
    schema=SUMMARY, label="editor", tools=[])

return {
    "files": len(done),
    "not_reviewed": [p for p, f in zip(files, findings) if f is None],
    "about": {f["file"]: f["purpose"] for f in done},
    "lines": sum(f["lines"] for f in done),
    "functions": sum(f["functions"] for f in done),
    "error_checks": sum(f["error_checks"] for f in done),
    "open_notes": sum(f["open_notes"] for f in done),
    "longest_functions": [
        {"file": f["file"], **f["longest"]} for f in done[:3]],
    "risky_calls": {
        f["file"]: f["risky_calls"] for f in done if f["risky_calls"]},
    "verdict": summary["verdict"],
    "summary": summary["headline"],
}

# Tools without a model: the workspace is an overlay, so what is written here
# is seen here, and the directory it was made of stays as it was.
#
# args: {"pattern": REGEX}	"main\\(" if not given

meta = {"name": "tools", "description": "Search, write, read back."}

found = await tool("grep", pattern=args.get("pattern", r"main\("))
by_file = {}
for match in found:
    by_file.setdefault(match["path"], []).append(match["line"])

report = "".join(f"{path}: {', '.join(map(str, lines))}\n"
                 for path, lines in sorted(by_file.items()))
await tool("write", path="report.txt", content=report)
counted = await tool("bash", command="wc -l <report.txt")

try:
    await tool("read", path="no/such/file")
    missing = "was found"
except ToolError as e:
    missing = str(e)

return {
    "matches": len(found),
    "files": int(counted["stdout"]),
    "missing": missing,
}

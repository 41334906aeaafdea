# Budgets, failures and second tries: a count that two agents must agree on.
#
# args: {"file": PATH}		a file of the workspace, README if not given

meta = {"name": "careful", "description": "Ask twice, believe once."}

path = args.get("file", "README")


async def count(n):
    text = await agent(f"How many lines has {path}?", tools=["bash"],
                       label=f"count {n}", retries=2, timeout=120)
    numbers = [int(word) for word in text.replace(",", "").split()
               if word.isdigit()]
    return numbers[-1] if numbers else None


try:
    # strict: a branch that fails is an error, not a hole.
    first, second = await parallel([count(1), count(2)], strict=True)
except ExceptionGroup as failed:
    return {"file": path, "error": [str(e) for e in failed.exceptions]}

if budget.remaining() is not None and budget.remaining() < 1000:
    log("little is left of the budget", spent=budget.spent())

truth = (await tool("bash", command=f"wc -l <'{path}'"))["stdout"].strip()
return {
    "file": path,
    "agents": [first, second],
    "agree": first == second,
    "right": first is not None and str(first) == truth,
    "tokens": budget.spent(),
}

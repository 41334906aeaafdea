# One prompt in several languages at once, and what a failed branch leaves.
#
# args: {"words": TEXT, "languages": [NAME, ...]}

meta = {"name": "fanout", "description": "Translate in parallel."}

words = args.get("words", "Good morning")
languages = args.get("languages", ["French", "Polish", "Swahili", "Welsh"])


def translate(language):
    return agent(f'Say "{words}" in {language}, without any explanation.',
                 label=language)


# A dict of branches gives a dict of results. A branch that fails is None,
# and the run ends as "completed with failures".
return await parallel({name: translate(name) for name in languages})

# The smallest workflow: one agent, one answer.
#
# args: {"name": WHOM}

meta = {"name": "hello", "description": "Say hello."}

return await agent(f"Say hello to {args.get('name', 'World')}.")

# An asynchronous generator that is never closed, with work in its finally.
#: result "refused"
async def gen():
    try:
        yield 1
    finally:
        while True:
            await sleep(1)
g = gen()
await g.__anext__()
return "refused"

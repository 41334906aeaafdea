# A task that will not be cancelled at the end: it spins, and is ended.
#: exit 0,6
#: result "refused"
import asyncio
async def stubborn():
    while True:
        try:
            await sleep(3600)
        except BaseException:
            pass
task = asyncio.ensure_future(stubborn())
await asyncio.sleep(0)
return "refused"

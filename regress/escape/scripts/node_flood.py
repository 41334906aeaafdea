# More calls pending than one may have.
#: exit 0,1,3,6,9
import asyncio
tasks = [asyncio.ensure_future(sleep(3600)) for _ in range(200000)]
await asyncio.wait(tasks, timeout=0.1)
return "refused"

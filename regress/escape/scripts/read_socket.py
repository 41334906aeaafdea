# What the broker sent is read by the script instead of the loop: it then
# waits for what will not come again.
#: exit 1,4,6,9
#: class .*
os = [c for c in object.__subclasses__()
      if c.__name__ == "_wrap_close"][0].__init__.__globals__
import asyncio
task = asyncio.ensure_future(sleep(0.01))
await asyncio.sleep(0)
os["read"](3, 65536)
os["_exit"](3)

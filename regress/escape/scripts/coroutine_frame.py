# The frames below the script's own coroutine: the prelude's.
#: result "refused"
import asyncio
task = asyncio.current_task()
frame = task.get_coro().cr_frame
names = set()
while frame is not None:
    names.update(frame.f_globals)
    frame = frame.f_back
secrets = [n for n in names if "key" in n.lower() or "token" in n.lower()
           or "secret" in n.lower() or "password" in n.lower()]
return "refused" if not secrets else "OPEN: %s" % secrets

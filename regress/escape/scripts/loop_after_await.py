# An endless loop after the first await: nobody waits for an answer.
#: exit 6
#: cause cpu
await sleep(0)
while True:
    pass

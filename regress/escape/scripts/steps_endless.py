# Steps without end.
#: exit 6,9
while True:
    await sleep(0)

# time.time replaced, and a wait for it to pass.
#: exit 6
#: cause cpu
import time
t = time.time()
while time.time() < t + 5:
    pass

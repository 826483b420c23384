# case: random bytes for each of 5000 identifiers come from a system call of their own, and so does the process id
# first: getrandom|getpid
# first: times|again|calls
# useful: getrandom|getpid
# saves: calls
import os, sys

ids = []
if "corrected" in sys.argv:
    pool, pid = os.urandom(16 * 5000), os.getpid()
    for i in range(5000):
        ids.append((pid, pool[16 * i : 16 * i + 16]))
else:
    for i in range(5000):
        ids.append((os.getpid(), os.urandom(16)))
print(len(ids))

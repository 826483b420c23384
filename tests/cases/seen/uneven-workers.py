# case: of four worker processes one gets nearly all of the work
# first: worker|process|thread
# first: uneven|imbalance|most of|nearly all|one of
# useful: uneven|imbalance|nearly all|one of
# saves: time
import os, sys, time

items = list(range(120))
if "corrected" in sys.argv:
    parts = [items[i::4] for i in range(4)]
else:
    parts = [items[:3], items[3:6], items[6:9], items[9:]]

def work(part):
    with open("/dev/null", "w") as out:
        for item in part:
            time.sleep(0.02)  # a slow request
            out.write(f"{item}\n")
            out.flush()
    os._exit(0)

children = []
for part in parts:
    pid = os.fork()
    if pid == 0:
        work(part)
    children.append(pid)
for pid in children:
    os.waitpid(pid, 0)

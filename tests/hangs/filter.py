# threads: 2
# told: wait for each other: a deadlock.
# told: which watches fd | other end: | (cat)
# A program watches for the answer of a filter to which it has sent nothing.
import selectors
import subprocess

cat = subprocess.Popen(["cat"], stdin=subprocess.PIPE, stdout=subprocess.PIPE)
watch = selectors.DefaultSelector()
watch.register(cat.stdout, selectors.EVENT_READ)
watch.select()

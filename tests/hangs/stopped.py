# threads: 2
# told: waits for process | which a signal has stopped.
# not told: deadlock
# A parent waits for a child that a signal has stopped.
import os
import signal

child = os.fork()
if child == 0:
    while True:
        signal.pause()
os.kill(child, signal.SIGSTOP)
os.waitpid(child, 0)

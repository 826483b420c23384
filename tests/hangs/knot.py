# threads: 2
# told: wait for one another, and nobody else could end these waits: a deadlock.
# A parent waits for the end of a child that waits for a message, and the child has a copy of the parent's end.
import os
import socket

ours, theirs = socket.socketpair()
child = os.fork()
if child == 0:
    theirs.recv(1)
    os._exit(0)
os.waitpid(child, 0)

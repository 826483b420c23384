# case: a program waits for a file by looking for it every millisecond
# first: done.flag
# first: sleep|wait|poll|inotify
# useful: done.flag|inotify
# saves: calls
import os, select, sys, threading, time

def writer():
    time.sleep(1.5)
    open("done.flag", "w").close()

threading.Thread(target=writer).start()
if "corrected" in sys.argv:
    import ctypes
    libc = ctypes.CDLL(None)
    fd = libc.inotify_init1(0)
    libc.inotify_add_watch(fd, b".", 0x100)
    while not os.path.exists("done.flag"):
        os.read(fd, 4096)
else:
    while not os.path.exists("done.flag"):
        time.sleep(0.001)

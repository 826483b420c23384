# case: a consumer waits for a queue whose producer has died; its own writing end keeps the pipe open
# ends: hang
# first: queue|pipe
# first: dead|died|ended|gone|exited|killed
# useful: queue|pipe
# saves: nothing: the program never ends
import multiprocessing, os, sys

def producer(queue):
    queue.put("one")
    queue.close()
    queue.join_thread()
    if "corrected" in sys.argv:
        return
    os.kill(os.getpid(), 9)

multiprocessing.set_start_method("fork")
queue = multiprocessing.Queue()
child = multiprocessing.Process(target=producer, args=(queue,))
child.start()
queue.get()
child.join()
open("stuck", "w").close()
if "corrected" not in sys.argv:
    queue.get()

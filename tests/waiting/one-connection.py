# Eight threads share one connection, which each of them has for a while.
# told: asleep in clock_nanosleep|asleep in select|asleep in pselect6
# told: waited for that in futex
import queue, threading, time

pool = queue.Queue()
pool.put("connection")

def work():
    for _ in range(5):
        connection = pool.get()
        time.sleep(0.01)
        pool.put(connection)

workers = [threading.Thread(target=work) for _ in range(8)]
for worker in workers:
    worker.start()
for worker in workers:
    worker.join()

# Three processes take turns with a lock of a file, and each keeps the lock while it waits for a slow service.
# told: asleep in clock_nanosleep|asleep in select|asleep in pselect6
# told: recvfrom on TCP
# told: flock on
import fcntl, os, signal, socket, threading, time

listener = socket.socket()
listener.bind(("127.0.0.1", 0))
listener.listen()

def answer(connection):
    while connection.recv(10):
        time.sleep(0.05)
        connection.sendall(b"answer")

def serve():
    while True:
        threading.Thread(target=answer, args=listener.accept()[:1]).start()

def work():
    lock = open("lock", "w")
    service = socket.create_connection(listener.getsockname())
    for _ in range(8):
        fcntl.flock(lock, fcntl.LOCK_EX)
        service.sendall(b"question")
        service.recv(10)
        fcntl.flock(lock, fcntl.LOCK_UN)

def child(does):
    pid = os.fork()
    if pid == 0:
        does()
        os._exit(0)
    return pid

service = child(serve)
for worker in [child(work) for _ in range(3)]:
    os.waitpid(worker, 0)
os.kill(service, signal.SIGKILL)
os.waitpid(service, 0)

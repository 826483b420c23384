# A client asks a service on the same machine, which takes its time.
# told: asleep in clock_nanosleep|asleep in select|asleep in pselect6
# told: waited for that in recvfrom on TCP
import os, socket, time

listener = socket.socket()
listener.bind(("127.0.0.1", 0))
listener.listen()
service = os.fork()
if service == 0:
    connection, _ = listener.accept()
    while connection.recv(10):
        time.sleep(0.02)
        connection.sendall(b"answer")
    os._exit(0)
connection = socket.create_connection(listener.getsockname())
for _ in range(20):
    connection.sendall(b"question")
    connection.recv(10)
connection.close()
os.waitpid(service, 0)

# threads: 2
# told: has sent 18 bytes (fd | that process | has not read.
# told: 18 bytes unread at the other end
# not told: deadlock
# A server accepts a connection and does something else.
import os
import socket
import time

listener = socket.create_server(("127.0.0.1", 0))
if os.fork() == 0:
    connection, _ = listener.accept()
    while True:
        time.sleep(1000)
client = socket.create_connection(listener.getsockname())
client.sendall(b"GET / HTTP/1.0\r\n\r\n")
client.recv(10)

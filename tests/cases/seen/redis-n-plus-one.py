# case: a client asks a key-value server for one key after the other, and waits for each answer
# peer: server
# first: request|round trip|lock-step|one at a time
# first: 127.0.0.1
# useful: 127.0.0.1
# saves: time
import os, socket, sys, time

def server():
    listener = socket.create_server(("127.0.0.1", 0))
    with open("peer.new", "w") as f:
        f.write(str(listener.getsockname()[1]))
    os.rename("peer.new", "peer.ready")
    while True:
        conn, _ = listener.accept()
        conn.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        with conn, conn.makefile("rb") as requests:
            while line := requests.readline():
                time.sleep(0.0005)
                keys = line.split()[1:]
                conn.sendall(b"".join(b"$5\r\nvalue\r\n" for _ in keys))

if sys.argv[1:] == ["server"]:
    server()
port = int(open("peer.ready").read())
client = socket.create_connection(("127.0.0.1", port))
client.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
keys = [f"user:{i}" for i in range(600)]
if "corrected" in sys.argv:
    client.sendall(("MGET " + " ".join(keys) + "\r\n").encode())
    left = len(keys) * 11
    while left:
        left -= len(client.recv(65536))
else:
    for key in keys:
        client.sendall(f"GET {key}\r\n".encode())
        client.recv(4096)

# case: a server reads and parses its configuration anew for each request
# peer: client
# first: config.json
# first: again|read|opened
# useful: config.json
# saves: calls
import json, os, socket, sys, time

if sys.argv[1:] == ["client"]:
    open("peer.ready", "w").close()
    while not os.path.exists("port"):
        time.sleep(0.01)
    port = int(open("port").read())
    for _ in range(400):
        with socket.create_connection(("127.0.0.1", port)) as s:
            s.sendall(b"GET / HTTP/1.0\r\n\r\n")
            while s.recv(4096):
                pass
    sys.exit()

with open("config.json", "w") as f:
    json.dump({f"key{i}": "x" * 40 for i in range(200)}, f)
listener = socket.create_server(("127.0.0.1", 0))
with open("port.new", "w") as f:
    f.write(str(listener.getsockname()[1]))
os.rename("port.new", "port")
kept = None
for _ in range(400):
    conn, _ = listener.accept()
    with conn:
        conn.recv(4096)
        if "corrected" in sys.argv:
            kept = kept or json.load(open("config.json"))
            config = kept
        else:
            with open("config.json") as f:
                config = json.load(f)
        conn.sendall(b"HTTP/1.0 200 OK\r\n\r\n" + config["key7"].encode())

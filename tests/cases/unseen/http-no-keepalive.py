# case: a client of an HTTP server makes a connection for each request
# peer: server
# first: connection
# first: 127.0.0.1
# useful: 127.0.0.1
# saves: calls
import http.client, http.server, os, sys

class Handler(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    def do_GET(self):
        body = b"hello\n" * 10
        self.send_response(200)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)
    def log_message(self, *args):
        pass

if sys.argv[1:] == ["server"]:
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    with open("peer.new", "w") as f:
        f.write(str(server.server_port))
    os.rename("peer.new", "peer.ready")
    server.serve_forever()
port = int(open("peer.ready").read())
one = http.client.HTTPConnection("127.0.0.1", port)
for i in range(300):
    conn = one if "corrected" in sys.argv else http.client.HTTPConnection("127.0.0.1", port)
    conn.request("GET", f"/{i}")
    conn.getresponse().read()
    if conn is not one:
        conn.close()

"""A web server that reads its settings again for each request, many times. The routes belong to a package that is installed, which is in the directory of the
first argument. The server asks itself, and ends."""

import http.client
import json
import os
import sys
import threading
from wsgiref.simple_server import WSGIRequestHandler, make_server

sys.path.insert(0, os.path.join(sys.argv[1], "site-packages"))
from router import Router

SETTINGS = os.path.join(sys.argv[1], "settings.json")


def settings():
    with open(SETTINGS) as file:
        return json.load(file)


app = Router()


@app.route("/hello")
def hello():
    for _ in range(20):
        greeting = settings()["greeting"]
    return greeting


WSGIRequestHandler.log_message = lambda *_: None
server = make_server("127.0.0.1", 0, app)
thread = threading.Thread(target=server.serve_forever)
thread.start()
for _ in range(100):
    connection = http.client.HTTPConnection("127.0.0.1", server.server_port)
    connection.request("GET", "/hello")
    assert connection.getresponse().read() == b"hello"
    connection.close()
server.shutdown()
thread.join()

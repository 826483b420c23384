"""A web server with the package Flask that reads its settings again for each request, many times. The package is in the directory of the first argument. The clients are a
process of their own."""

import http.client
import json
import os
import subprocess
import sys
import threading

SETTINGS = os.path.join(sys.argv[1], "settings.json")
CLIENTS = 3
REQUESTS = 100


def settings():
    with open(SETTINGS) as file:
        return json.load(file)


def serve():
    sys.path.insert(0, os.path.join(sys.argv[1], "site-packages"))
    from flask import Flask, jsonify
    from werkzeug.serving import WSGIRequestHandler, make_server

    app = Flask(__name__)

    @app.before_request
    def before():
        return None

    @app.route("/hello/<name>")
    def hello(name):
        for _ in range(20):
            greeting = settings()["greeting"]
        return jsonify(text=f"{greeting} {name}")

    WSGIRequestHandler.log = lambda *_: None
    server = make_server("127.0.0.1", 0, app, threaded=True)
    thread = threading.Thread(target=server.serve_forever)
    thread.start()
    subprocess.run([sys.executable, __file__, sys.argv[1], str(server.server_port)], check=True)
    server.shutdown()
    thread.join()


def client():
    for n in range(REQUESTS):
        connection = http.client.HTTPConnection("127.0.0.1", int(sys.argv[2]))
        connection.request("GET", f"/hello/{n}")
        assert json.load(connection.getresponse())["text"] == f"hello {n}"
        connection.close()


if len(sys.argv) > 2:
    clients = [threading.Thread(target=client) for _ in range(CLIENTS)]
    [thread.start() for thread in clients]
    [thread.join() for thread in clients]
else:
    serve()

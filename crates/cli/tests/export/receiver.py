"""Receives OTLP by HTTP: receiver.py [STATUS...]

Prints the port, and then each request as a line of JSON, read by OpenTelemetry's own messages. The first requests are answered with
these statuses; "silent" is no answer at all."""

import http.server
import json
import sys
import threading

from google.protobuf.json_format import MessageToDict
from opentelemetry.proto.collector.logs.v1.logs_service_pb2 import ExportLogsServiceRequest, ExportLogsServiceResponse
from opentelemetry.proto.collector.metrics.v1.metrics_service_pb2 import (
    ExportMetricsServiceRequest,
    ExportMetricsServiceResponse,
)

KINDS = {
    "/v1/metrics": (ExportMetricsServiceRequest, ExportMetricsServiceResponse),
    "/v1/logs": (ExportLogsServiceRequest, ExportLogsServiceResponse),
}
statuses = sys.argv[1:]


class Handler(http.server.BaseHTTPRequestHandler):
    def do_POST(self):
        message, answer = KINDS[self.path]
        body = self.rfile.read(int(self.headers["Content-Length"]))
        status = statuses.pop(0) if statuses else "200"
        if status == "silent":
            threading.Event().wait()
        request = message.FromString(body)
        known = all(not unknown(part) for part in parts(request))
        print(
            json.dumps(
                {
                    "path": self.path,
                    "type": self.headers["Content-Type"],
                    "status": status,
                    "known": known,
                    "request": MessageToDict(request),
                }
            ),
            flush=True,
        )
        reply = answer()
        if status == "rejected":
            reply.partial_success.rejected_data_points = 3
            status = "200"
        reply = reply.SerializeToString()
        self.send_response(int(status))
        self.send_header("Content-Type", "application/x-protobuf")
        self.send_header("Content-Length", str(len(reply)))
        self.end_headers()
        self.wfile.write(reply)

    def log_message(self, *_):
        pass


def parts(message):
    """The message, and all messages in it."""
    yield message
    for field, value in message.ListFields():
        if field.message_type is not None:
            for part in [value] if hasattr(value, "ListFields") else value:
                yield from parts(part)


def unknown(message):
    """Fields that the message does not have."""
    from google.protobuf.unknown_fields import UnknownFieldSet

    return len(UnknownFieldSet(message))


server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
server.daemon_threads = True
print(server.server_address[1], flush=True)
server.serve_forever()

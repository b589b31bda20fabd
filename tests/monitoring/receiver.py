# SPDX-License-Identifier: GPL-2.0-only
# Who is told of an alert: writes down each message of an alertmanager's webhook, one JSON object a line.
import http.server
import json
import sys


class Receiver(http.server.BaseHTTPRequestHandler):
    def do_POST(self):
        message = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        for alert in message["alerts"]:
            line = {"receiver": self.path[1:], "status": alert["status"], "labels": alert["labels"],
                    "annotations": alert["annotations"]}
            print(json.dumps(line, sort_keys=True), file=told, flush=True)
        self.send_response(200)
        self.end_headers()

    def log_message(self, *arguments):
        pass


told = open(sys.argv[2], "a")
server = http.server.HTTPServer(("127.0.0.1", int(sys.argv[1])), Receiver)
print("ready", flush=True)
server.serve_forever()

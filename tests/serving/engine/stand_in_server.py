"""What the launcher needs of vLLM, in one file: health, a model list, one-token completions.

    python stand_in_server.py PORT [--child] [--unready] [--last-words TEXT]

`--child` starts a process that ignores the death of its parent, as an engine core does, and prints
its number. `--unready` never becomes healthy. `--last-words` prints the text and exits with 3.
"""

import argparse
import json
import subprocess
import sys
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import ClassVar

CHILD = "import time; time.sleep(600)"


class Handler(BaseHTTPRequestHandler):
    healthy: ClassVar[bool] = True

    def do_GET(self) -> None:
        if self.path == "/health":
            self._answer(200 if self.healthy else 503, {})
        else:
            self._answer(200, {"data": [{"id": "smollm2-135m-instruct"}]})

    def do_POST(self) -> None:
        self.rfile.read(int(self.headers["Content-Length"]))
        self._answer(200, {"choices": [{"message": {"role": "assistant", "content": "Hi"}}]})

    def _answer(self, status: int, body: object) -> None:
        content = json.dumps(body).encode()
        self.send_response(status)
        self.send_header("Content-Length", str(len(content)))
        self.end_headers()
        self.wfile.write(content)


if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    parser.add_argument("port", type=int)
    parser.add_argument("--child", action="store_true")
    parser.add_argument("--unready", action="store_true")
    parser.add_argument("--last-words")
    arguments = parser.parse_args()
    if arguments.last_words:
        print(arguments.last_words, flush=True)
        sys.exit(3)
    if arguments.child:
        print("child", subprocess.Popen([sys.executable, "-c", CHILD]).pid, flush=True)
    Handler.healthy = not arguments.unready
    ThreadingHTTPServer(("127.0.0.1", arguments.port), Handler).serve_forever()

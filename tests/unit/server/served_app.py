"""A small application behind the server runner, run as a program: ``served_app.py key=value ...``.

The keys are those of the server's section, ``http_host`` and ``http_port`` go to global_conf.
"""

import json
import sys
import threading
from types import SimpleNamespace
from urllib.parse import parse_qs

from finance_api.server import serve

released = threading.Event()


def say(text):
    print(text, flush=True)


class App:
    """Answers 200 to everything, so that whatever gets through is seen."""

    def __init__(self):
        self.registry = SimpleNamespace(at_shutdown=[self.fail, lambda: say("hook called")])

    def fail(self):
        raise RuntimeError("this hook fails")

    def __call__(self, environ, start_response):
        path = environ["PATH_INFO"]
        if path == "/boom":
            raise RuntimeError("a secret of the application")
        if path == "/exit":
            raise SystemExit(3)
        if path == "/oserror":
            raise OSError("disk gone")
        if path == "/hold":
            say("held")
            released.wait(20)
        if path == "/big":
            size = int(parse_qs(environ["QUERY_STRING"])["bytes"][0])
            start_response("200 OK", [("Content-Length", str(size))])
            return [b"x" * size]
        body = json.dumps(
            {
                "method": environ["REQUEST_METHOD"],
                "path": path,
                "body_bytes": len(environ["wsgi.input"].read()),
                "headers": {k: v for k, v in environ.items() if k.startswith("HTTP_")},
            }
        ).encode()
        start_response(
            "200 OK", [("Content-Type", "application/json"), ("Content-Length", str(len(body)))]
        )
        return [b"" if environ["REQUEST_METHOD"] == "HEAD" else body]


def release_on_line():
    sys.stdin.readline()
    released.set()


if __name__ == "__main__":
    threading.Thread(target=release_on_line, daemon=True).start()
    given = dict(argument.split("=", 1) for argument in sys.argv[1:])
    global_conf = {key: given.pop(key) for key in ("http_host", "http_port") if key in given}
    raise SystemExit(serve(App(), global_conf, **given))

"""A small application behind a server runner.

As a program, ``served_app.py key=value ...``, it is behind waitress: the keys are those of the
server's section, ``http_host`` and ``http_port`` go to global_conf. For pserve there is ``make``.
"""

import json
import os
import sys
import threading
import time
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

    def hold(self):
        released.wait(20)

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
            self.hold()
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


class AppOfIniFile(App):
    """release: a file; requests are held until it is there. settings: of a registry."""

    def __init__(self, release, settings):
        super().__init__()
        self.release = release
        self.registry.settings = settings

    def hold(self):
        deadline = time.monotonic() + 20
        while not os.path.exists(self.release) and time.monotonic() < deadline:
            time.sleep(0.01)

    def __call__(self, environ, start_response):
        path = environ["PATH_INFO"]
        if path == "/environ":
            known = {k: v for k, v in environ.items() if isinstance(v, str | bool | tuple)}
            body = json.dumps(known).encode()
            start_response("200 OK", [("Content-Length", str(len(body)))])
            return [body]
        if path == "/process":
            body = str(os.getpid()).encode()
            start_response("200 OK", [("Content-Length", str(len(body)))])
            return [body]
        if path == "/parts":
            start_response("200 OK", [])
            return (b"p" * 100_000 for _ in range(int(environ["QUERY_STRING"])))
        if path == "/breaks-off":
            start_response("200 OK", [])
            return self.breaking_off()
        if path == "/die":
            os._exit(9)
        return super().__call__(environ, start_response)

    def breaking_off(self):
        yield b"p" * 2_000_000
        raise RuntimeError("a secret of the application")


def make(global_conf, release="", refuses="", **settings):
    """PasteDeploy's app factory."""
    if refuses and os.path.exists(refuses):
        raise SystemExit("refused: the settings are wrong")
    return AppOfIniFile(release, settings)


def release_on_line():
    sys.stdin.readline()
    released.set()


if __name__ == "__main__":
    threading.Thread(target=release_on_line, daemon=True).start()
    given = dict(argument.split("=", 1) for argument in sys.argv[1:])
    global_conf = {key: given.pop(key) for key in ("http_host", "http_port") if key in given}
    raise SystemExit(serve(App(), global_conf, **given))

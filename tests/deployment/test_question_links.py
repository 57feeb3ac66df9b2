"""nginx writes no secret of a link into its logs, even if the service does not respond."""

import socket
from contextlib import closing

from support.nginx import HOST, nginx
from support.programs import CLOSED_PORT

SECRET = "finq_" + "s" * 32


def test_the_logs_of_nginx_have_no_secret_of_a_link() -> None:
    with nginx([CLOSED_PORT, CLOSED_PORT]) as server:
        plain_paths = ("/", f"/q/{SECRET}.csv", f"//q/{SECRET}.csv?limit=1", f"/x/../q/{SECRET}")
        mistyped = (f"/Q/{SECRET}.csv", f"/{SECRET}", f"/docs/q{SECRET}", f"/Q/{SECRET.upper()}")
        encoded = (f"/q%2f{SECRET}.csv", f"/%71/{SECRET}.csv", f"/x/%66inq_{SECRET[5:]}")
        for path in (*plain_paths, *mistyped, *encoded):
            with (
                closing(socket.create_connection(("127.0.0.1", server.port))) as plain,
                server.tls.wrap_socket(plain, server_hostname=HOST) as connection,
            ):
                head = f"GET {path} HTTP/1.1\r\nHost: {HOST}\r\nConnection: close\r\n\r\n"
                connection.sendall(head.encode())
                assert connection.recv(12) == b"HTTP/1.1 503"
                while connection.recv(65_536):
                    pass
        said = server.said
    assert "connect() failed" in said
    assert SECRET[5:] not in said.lower()

"""A server's address is refused if it is in use, and is reserved for the server's workers."""

import socket
from collections.abc import Sequence

import pytest

from finance_api.runtime.settings import SettingError
from finance_api.server.wsgi import reserve_address
from support.programs import free_port

ADDR, PORT = socket.SO_REUSEADDR, socket.SO_REUSEPORT
#: Address in use -> the addresses that are then refused.
REFUSED = {
    "127.0.0.1": ["127.0.0.1", "0.0.0.0", "::"],
    "0.0.0.0": ["127.0.0.1", "0.0.0.0", "::"],
    "::1": ["::1", "::"],
    "::": ["127.0.0.1", "0.0.0.0", "::1", "::"],
}
PAIRS = [(taken, asked) for taken, refused in REFUSED.items() for asked in refused]


def listening(host: str, port: int, options: Sequence[int]) -> socket.socket:
    made = socket.socket(socket.AF_INET6 if ":" in host else socket.AF_INET)
    for option in options:
        made.setsockopt(socket.SOL_SOCKET, option, 1)
    try:
        made.bind((host, port))
        made.listen()
    except OSError:
        made.close()
        raise
    return made


@pytest.mark.parametrize("options", [(), (ADDR,), (PORT,), (ADDR, PORT)])
@pytest.mark.parametrize(("taken", "asked"), PAIRS)
def test_an_address_that_somebody_has_is_refused(
    taken: str, asked: str, options: tuple[int, ...]
) -> None:
    port = free_port()
    refusal = f"cannot listen on {asked}:{port}: Address already in use"
    with listening(taken, port, options), pytest.raises(SettingError, match=refusal):
        reserve_address(asked, port)
    reserve_address(asked, port).close()


@pytest.mark.parametrize(("taken", "asked"), PAIRS)
def test_a_reserved_address_is_for_workers_only(taken: str, asked: str) -> None:
    """This holds even before a worker listens, so that only one of two servers starts."""
    port = free_port()
    with reserve_address(taken, port):
        with pytest.raises(SettingError):
            reserve_address(asked, port)
        with pytest.raises(OSError, match="in use"):
            listening(asked, port, [ADDR])
        loopback = "::1" if ":" in taken else "127.0.0.1"
        listening(taken, port, [ADDR, PORT]).close()
        with listening(taken, port, [ADDR, PORT]) as worker:
            worker.settimeout(60)
            for _ in range(20):
                # The reserved socket gets no connection.
                with socket.create_connection((loopback, port)):
                    worker.accept()[0].close()


def test_connections_that_ended_just_now_do_not_matter() -> None:
    with socket.create_server(("127.0.0.1", 0)) as server:
        port = server.getsockname()[1]
        client = socket.create_connection(("127.0.0.1", port))
        # The side that closes first keeps the connection for another minute.
        server.accept()[0].close()
        client.close()
    reserve_address("127.0.0.1", port).close()

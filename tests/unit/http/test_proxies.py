"""The client's address as trusted proxies report it."""

import pytest
from pyramid import testing

from finance_api.http.requests import client_address
from finance_api.runtime.settings import networks

TRUSTED = "10.0.0.0/8 2001:db8:ffff::/48 127.0.0.1"
CLIENT = "198.51.100.1"


def address(remote, forwarded=None, *, trusted=TRUSTED, **headers):
    environ = {f"HTTP_{name}": value for name, value in headers.items()}
    if remote is not None:
        environ["REMOTE_ADDR"] = remote
    if forwarded is not None:
        environ["HTTP_X_FORWARDED_FOR"] = forwarded
    with testing.testConfig(settings={"finance_api.trusted_proxies": networks(trusted)}):
        return str(client_address(testing.DummyRequest(environ=environ)))


@pytest.mark.parametrize(
    ("remote", "forwarded", "client"),
    [
        # Only trusted proxies may name the client.
        *((CLIENT, text, CLIENT) for text in (None, "", "x", "10.0.0.1", "203.0.113.1, 10.0.0.1")),
        *(
            (proxy, CLIENT, CLIENT)
            for proxy in ("10.1.2.3", "::ffff:10.1.2.3", "2001:db8:ffff::1", "10.1.2.3:80")
        ),
        # Everything to the left of the client can be forged.
        ("10.0.0.1", f"203.0.113.1, 10.0.0.2, x, {CLIENT}", CLIENT),
        ("10.0.0.1", f"{CLIENT}, 10.0.0.3, 2001:db8:ffff::7, 10.200.0.1", CLIENT),
        ("10.0.0.1", f"{CLIENT}, 203.0.113.77, 10.0.0.1", "203.0.113.77"),
        # In a chain of only trusted proxies, the first one is the client.
        ("10.0.0.1", "10.77.0.1, 10.77.0.2", "10.77.0.1"),
        ("10.0.0.1", None, "10.0.0.1"),
        ("10.0.0.1", "", "10.0.0.1"),
        # Ports, brackets, zones and blanks.
        *(
            ("10.0.0.1", text, CLIENT)
            for text in (f"{CLIENT}:4711", f"  {CLIENT}  ", f"x ,{CLIENT}", f"[::ffff:{CLIENT}]:1")
        ),
        *(
            ("10.0.0.1", text, "2001:db8::a")
            for text in ("[2001:db8::a]", "[2001:db8::a]:4711", "2001:DB8:0:0:0:0:0:A")
        ),
        ("2001:db8::a%eth0", None, "2001:db8::a"),
        (f"::ffff:{CLIENT}", None, CLIENT),
        ("localhost", None, "None"),
        (None, CLIENT, "None"),
    ],
)
def test_the_client_is_the_nearest_hop_that_is_no_trusted_proxy(remote, forwarded, client):
    assert address(remote, forwarded) == client


@pytest.mark.parametrize(
    "garbage",
    ["", "unknown", "_hidden", "1.2.3", "1.2.3.4.5", "for=192.0.2.1", "''", "01.2.3.4", ",", "::g"]
    + ["1" * 5_000, "1,2,3", "0x7f000001", "192.0.2.1/24", "\xff\xfe"],
)
def test_the_nearest_known_hop_is_the_client_of_what_is_no_address(garbage):
    assert address("10.0.0.1", garbage) == "10.0.0.1"
    assert address("10.0.0.1", f"192.0.2.1, {garbage}") == "10.0.0.1"
    assert address("10.0.0.1", f"{garbage}, 10.66.0.1") == "10.66.0.1"


def test_no_other_header_is_read():
    for name in ("FORWARDED", "X_REAL_IP", "X_CLIENT_IP", "CLIENT_IP", "TRUE_CLIENT_IP"):
        assert address("10.0.0.1", **{name: CLIENT}) == "10.0.0.1"


def test_without_trusted_proxies_the_header_means_nothing():
    assert address("127.0.0.1", CLIENT, trusted="") == "127.0.0.1"

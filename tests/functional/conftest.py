"""Fixtures: the service with each storage. Every test makes its own users."""

import json
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from cryptography.hazmat.primitives.asymmetric import rsa

from finance_api.storage.interface import User
from support.browser import Visitor, new_user, signed_in
from support.jwt_attacks import IDP, Attacker
from support.jwt_keys import key_set, public_jwk
from support.service import STORAGES, Client, Service, running_services


@pytest.fixture(scope="session")
def services(new_settings: Callable[[str], dict[str, str]]) -> Iterator[Callable[[str], Service]]:
    with running_services(new_settings) as of:
        yield of


@pytest.fixture
def service(storage_of_service: str, services: Callable[[str], Service]) -> Service:
    found = services(storage_of_service)
    found.clock.set("2026-03-18T12:00:00Z")
    # Drop the cookies of the previous test.
    found.web.reset()
    return found


@pytest.fixture
def client(service: Service) -> Client:
    return service.client()


@pytest.fixture
def user(service: Service) -> User:
    """A user with a password."""
    return new_user(service)


@pytest.fixture
def visitor(service: Service, user: User) -> Visitor:
    """The user's browser, signed in to the settings pages."""
    return signed_in(service, user)


@pytest.fixture
def attacker(client: Client) -> Attacker:
    return Attacker(client)


@pytest.fixture(scope="session")
def rsa_key() -> rsa.RSAPrivateKey:
    return rsa.generate_private_key(65_537, 2_048)


@pytest.fixture(scope="session", params=STORAGES)
def issuer_service(
    request: pytest.FixtureRequest,
    new_settings: Callable[[str], dict[str, str]],
    rsa_key: rsa.RSAPrivateKey,
) -> Iterator[Service]:
    """A service that also accepts tokens of another issuer, which names users by e-mail."""
    service = Service(
        request.param,
        {
            **new_settings(request.param),
            "finance_api.jwt.subject": "email",
            "finance_api.jwt.issuers": f"finance_api {IDP} https://other.example.org",
            "finance_api.jwt.key_issuers": f"idp={IDP}",
        },
    )
    file = Path(service.key_file)
    entries = json.loads(file.read_text())["keys"]
    file.write_text(key_set(*entries, public_jwk(rsa_key, "RS256")))
    yield service
    service.stop()


@pytest.fixture
def issuer(issuer_service: Service, rsa_key: rsa.RSAPrivateKey) -> Attacker:
    issuer_service.clock.set("2026-03-18T12:00:00Z")
    return Attacker(issuer_service.client(), rsa_key)

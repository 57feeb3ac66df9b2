"""How long a refusal takes says nothing about a secret."""

import hmac
import secrets
from statistics import median
from time import perf_counter_ns

import pytest

from finance_api.auth.personal_tokens import digest, new_token
from finance_api.auth.sessions import csrf_token
from finance_api.storage.interface import Token
from functional.access.test_authentication import ask, stored_token, with_checksum
from support.browser import Visitor, new_user
from support.nightly import count
from support.two_users import whole


@pytest.fixture
def compared(monkeypatch):
    """The pairs of secrets that are compared in constant time."""
    pairs = []
    compare_digest = hmac.compare_digest

    def compare(one, other):
        pairs.append((one, other))
        return compare_digest(one, other)

    for module in (hmac, secrets):
        monkeypatch.setattr(module, "compare_digest", compare)
    return pairs


def test_tokens_are_compared_in_constant_time(client, compared):
    assert client.get("records").status_int == 200
    assert (digest(client.token),) * 2 in compared


def test_tokens_of_forms_are_compared_in_constant_time(service, compared):
    visitor = Visitor(service)
    visitor.sign_in(new_user(service), "wrong password", status=403)
    assert (csrf_token(visitor.cookies["finance_visitor"]).encode(),) * 2 in compared


@pytest.mark.nightly
def test_unknown_revoked_and_mistyped_tokens_are_answered_alike(service, figures):
    client, revoked = service.client(), service.client()
    token = stored_token(revoked)
    service.change(lambda s: s.users.revoke(Token, token.id, service.clock.now()))
    body = client.token[:-6]
    texts = {
        "unknown": new_token(),
        "revoked": revoked.token,
        "mistyped": with_checksum(body[:-1] + ("a" if body[-1] != "a" else "b")),
    }
    nanoseconds = {name: [] for name in texts}
    answers = []
    for _ in range(count(20, 20_000)):
        for name, text in texts.items():
            began = perf_counter_ns()
            answer = ask(client, f"Bearer {text}")
            nanoseconds[name].append(perf_counter_ns() - began)
            answers.append(whole(answer))
        assert answers == [answers[0]] * len(answers)
        answers = answers[:1]
    medians = (f"{name} {median(times) / 1_000:.1f} µs" for name, times in nanoseconds.items())
    figures(f"{len(nanoseconds['unknown'])} tries of each, median: {', '.join(medians)}")

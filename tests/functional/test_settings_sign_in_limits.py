"""Guessing passwords: limited for each account and for each address."""

import re

import pytest

from finance_api.ratelimit.interface import LimiterUnavailable
from support.browser import (
    LOGIN,
    PASSWORD,
    Visitor,
    assert_error_page,
    comparable,
    dump,
    hashes_counted,
    new_user,
    quick_passwords,  # noqa: F401
    sessions_of,
    shown_text,
    signed_in,
)
from support.service import Service

PER_ACCOUNT, PER_ADDRESS = 4, 9


@pytest.fixture
def configured():
    """Makes services in memory with low limits and settings of their own."""
    made = []

    def make(**settings):
        names = {f"finance_api.{k.replace('__', '.')}": v for k, v in settings.items()}
        limits = {
            "finance_api.ratelimit.sign_in_account": f"{PER_ACCOUNT}/hour",
            "finance_api.ratelimit.sign_in_address": f"{PER_ADDRESS}/hour",
        }
        made.append(Service("memory", {"finance_api.storage": "memory", **limits, **names}))
        return made[-1]

    yield make
    for service in made:
        service.stop()


@pytest.fixture
def limited(configured):
    return configured()


def attempt(visitor, email, password="wrong password"):
    return visitor.submit(LOGIN, email=email, password=password)


def statuses(visitor, email, count, password="wrong password"):
    return [attempt(visitor, email, password).status_int for _ in range(count)]


def test_so_many_attempts_fail_for_an_account_and_then_none_is_made(limited, monkeypatch):
    user = new_user(limited)
    # From an address of its own each.
    visitors = [Visitor(limited, address=f"198.51.100.{n}") for n in range(1, 30)]
    for visitor in visitors[:PER_ACCOUNT]:
        assert attempt(visitor, user.email).status_int == 403
    with hashes_counted(monkeypatch) as hashes:
        response = attempt(visitors[PER_ACCOUNT], user.email, PASSWORD)
    assert response.status_int == 429
    assert not hashes
    assert int(response.headers["Retry-After"]) == 3_600 // PER_ACCOUNT
    assert "15 minutes" in shown_text(response.text)
    assert not sessions_of(limited, user)
    # Nobody else has to wait.
    assert attempt(visitors[5], new_user(limited).email, PASSWORD).status_int == 303
    limited.clock.advance(3_600 // PER_ACCOUNT - 1)
    assert attempt(visitors[6], user.email, PASSWORD).status_int == 429
    limited.clock.advance(1)
    assert attempt(visitors[7], user.email, PASSWORD).status_int == 303


def test_the_limit_of_an_account_is_the_same_whether_or_not_it_exists(limited):
    known, answers = new_user(limited).email, []
    for email in (known, "nobody@example.org"):
        visitor = Visitor(limited, address=f"198.51.100.{len(email)}")
        assert statuses(visitor, email, PER_ACCOUNT) == [403] * PER_ACCOUNT
        status, headers, text = comparable(attempt(visitor, email))
        headers = [h for h in headers if h[0] != "Content-Length"]
        answers.append((status, headers, text.replace(email, "(e-mail)")))
    assert answers[0] == answers[1]
    assert answers[0][0].startswith("429")


@pytest.mark.parametrize(
    "written",
    [
        str.upper,
        "  {} ".format,
        "\x01{}".format,
        "{}\x7f".format,
        lambda email: email[:3] + "\x08" + email[3:],
        lambda email: email[:3] + "\x85" + email[3:],
        "\u3000{}".format,
    ],
    ids=["case", "blanks", "control", "delete", "backspace", "next line", "wide blank"],
)
def test_an_account_written_in_another_way_is_the_same_account(limited, written):
    user = new_user(limited)
    visitor = Visitor(limited)
    assert statuses(visitor, user.email, PER_ACCOUNT) == [403] * PER_ACCOUNT
    # No way of writing it lets anybody guess on.
    assert attempt(visitor, written(user.email), PASSWORD).status_int in (403, 429)
    assert not sessions_of(limited, user)


def test_letters_that_are_composed_in_another_way_are_the_same_account(limited):
    user = new_user(limited, email="zo\u00eb@example.org")
    visitor = Visitor(limited)
    assert statuses(visitor, user.email, PER_ACCOUNT) == [403] * PER_ACCOUNT
    assert attempt(visitor, "zoe\u0308@example.org", PASSWORD).status_int == 429


def test_so_many_attempts_fail_from_an_address_whatever_the_account(limited):
    visitor = Visitor(limited, address="203.0.113.5")
    for n in range(PER_ADDRESS):
        assert attempt(visitor, f"guess{n}@example.org").status_int == 403
    user = new_user(limited)
    response = attempt(visitor, user.email, PASSWORD)
    assert response.status_int == 429
    assert int(response.headers["Retry-After"]) == 3_600 // PER_ADDRESS
    # The refusal cost the account nothing, and other addresses are not concerned.
    other = Visitor(limited, address="203.0.113.6")
    assert statuses(other, user.email, PER_ACCOUNT) == [403] * PER_ACCOUNT
    assert attempt(other, user.email).status_int == 429


def test_an_ipv6_network_counts_as_one_address(limited):
    for n in range(PER_ADDRESS):
        visitor = Visitor(limited, address=f"2001:db8:1:2::{n + 1}")
        assert attempt(visitor, f"guess{n}@example.org").status_int == 403
    same = Visitor(limited, address="2001:db8:1:2:ffff::1")
    assert attempt(same, "guess@example.org").status_int == 429
    other = Visitor(limited, address="2001:db8:1:3::1")
    assert attempt(other, "guess@example.org").status_int == 403


def test_success_does_not_count(limited):
    user = new_user(limited)
    for _ in range(PER_ADDRESS * 2):
        assert attempt(Visitor(limited), user.email, PASSWORD).status_int == 303
    assert statuses(Visitor(limited), user.email, PER_ACCOUNT + 1) == [403] * PER_ACCOUNT + [429]


def test_empty_fields_do_not_count(limited):
    user, visitor = new_user(limited), Visitor(limited)
    assert statuses(visitor, user.email, 20, "") == [400] * 20
    assert statuses(visitor, "", 20) == [400] * 20
    assert attempt(visitor, user.email, PASSWORD).status_int == 303


def test_a_forwarded_address_counts_only_from_a_trusted_proxy(configured):
    spoofing = configured()
    for n in range(PER_ADDRESS):
        headers = {"X-Forwarded-For": f"198.51.100.{n}", "X-Real-IP": f"198.51.100.{n}"}
        visitor = Visitor(spoofing, headers=headers)
        assert attempt(visitor, f"guess{n}@example.org").status_int == 403
    visitor = Visitor(spoofing, headers={"X-Forwarded-For": "198.51.100.99"})
    assert attempt(visitor, "guess@example.org").status_int == 429

    behind = configured(trusted_proxies="10.0.0.0/8")
    for n in range(PER_ADDRESS + 3):
        # What stands before the proxy's own entry is the client's invention.
        headers = {"X-Forwarded-For": f"198.51.100.{n}, 203.0.113.1"}
        visitor = Visitor(behind, address="10.1.2.3", headers=headers)
        status = attempt(visitor, f"guess{n}@example.org").status_int
        assert status == (403 if n < PER_ADDRESS else 429)
    other = Visitor(behind, address="10.1.2.3", headers={"X-Forwarded-For": "203.0.113.2"})
    assert attempt(other, "guess@example.org").status_int == 403


def test_without_its_limiter_nobody_is_signed_in(limited, monkeypatch):
    class Away:
        def take(self, *arguments):
            raise LimiterUnavailable("away")

    user, visitor = new_user(limited), Visitor(limited)
    inside = signed_in(limited, user)
    before = dump(limited)
    monkeypatch.setattr(limited.services.quotas, "_strict", Away())
    response = attempt(visitor, user.email, PASSWORD)
    assert_error_page(response, 503)
    assert int(response.headers["Retry-After"]) >= 1
    assert visitor.secret is None
    response = inside.submit(
        "/settings/security",
        "/settings/security/password",
        current_password=PASSWORD,
        new_password="another password",
        repeated_password="another password",
    )
    assert_error_page(response, 503)
    assert dump(limited) == before
    # Who is in, stays in.
    assert inside.is_signed_in()


def test_the_waiting_time_is_written_for_people(limited):
    visitor, user = Visitor(limited), new_user(limited)
    statuses(visitor, user.email, PER_ACCOUNT)
    limited.clock.advance(3_600 // PER_ACCOUNT - 30)
    text = shown_text(attempt(visitor, user.email).text)
    assert re.search("try again in a minute[.]", text)

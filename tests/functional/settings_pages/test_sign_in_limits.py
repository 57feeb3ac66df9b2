"""Guessing passwords is limited for each account and address, but never locks the owner out."""

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
    sent_cookies,
    sessions_of,
    signed_in,
)
from support.html import shown_text

#: Limits for an account from one address, for the account, and for an address.
PER_ACCOUNT, IN_ALL, PER_ADDRESS = 4, 20, 9
PER_BROWSER = 3


LIMITS = {
    "ratelimit__sign_in_account_address": f"{PER_ACCOUNT}/hour",
    "ratelimit__sign_in_account": f"{IN_ALL}/hour",
    "ratelimit__sign_in_address": f"{PER_ADDRESS}/hour",
    "ratelimit__sign_in_browser": f"{PER_BROWSER}/hour",
}


@pytest.fixture
def limited(configured):
    """A service on which the attempts of earlier tests no longer count."""
    service = configured(**LIMITS)
    service.clock.advance(7_200)
    return service


def attempt(visitor, email, password="wrong password"):
    return visitor.submit(LOGIN, email=email, password=password)


def statuses(visitor, email, count, password="wrong password"):
    return [attempt(visitor, email, password).status_int for _ in range(count)]


def test_so_many_attempts_fail_for_an_account_and_then_none_is_made(limited, monkeypatch):
    user = new_user(limited)
    # Each visitor has an address of its own.
    visitors = [Visitor(limited, address=f"198.51.100.{n}") for n in range(1, 30)]
    for visitor in visitors[:IN_ALL]:
        assert attempt(visitor, user.email).status_int == 403
    with hashes_counted(monkeypatch) as hashes:
        response = attempt(visitors[IN_ALL], user.email, PASSWORD)
    assert response.status_int == 429
    assert not hashes
    assert int(response.headers["Retry-After"]) == 3_600 // IN_ALL
    assert "3 minutes" in shown_text(response.text)
    assert not sessions_of(limited, user)
    # Other accounts are not affected.
    assert attempt(visitors[5], new_user(limited).email, PASSWORD).status_int == 303
    limited.clock.advance(3_600 // IN_ALL - 1)
    assert attempt(visitors[26], user.email, PASSWORD).status_int == 429
    limited.clock.advance(1)
    assert attempt(visitors[27], user.email, PASSWORD).status_int == 303


def test_guessing_from_one_address_does_not_lock_the_owner_out_elsewhere(limited):
    user, attacker = new_user(limited), Visitor(limited, address="198.51.100.1")
    assert statuses(attacker, user.email, PER_ACCOUNT) == [403] * PER_ACCOUNT
    refused = attempt(attacker, user.email, PASSWORD)
    assert refused.status_int == 429
    assert int(refused.headers["Retry-After"]) == 3_600 // PER_ACCOUNT
    # A refused attempt does not count against the account.
    assert statuses(attacker, user.email, IN_ALL) == [429] * IN_ALL
    Visitor(limited, address="203.0.113.1").sign_in(user)


def flood(service, user):
    """Guess from many networks until the account accepts no more attempts."""
    for n in range(1, IN_ALL + 1):
        attempt(Visitor(service, address=f"198.51.100.{n}"), user.email)
    assert attempt(Visitor(service, address="198.51.100.99"), user.email).status_int == 429


@pytest.mark.parametrize("https", [False, True])
def test_a_browser_that_signed_in_before_has_attempts_of_its_own(limited, https):
    user = new_user(limited)
    known = Visitor(limited, https=https, address="203.0.113.7")
    known.sign_in(user)
    name = ("__Host-" if https else "") + "finance_browser"
    assert name in known.cookies
    known.submit("/overview", "/settings/logout", status=303)
    flood(limited, user)
    known.sign_in(user)
    known.submit("/overview", "/settings/logout", status=303)
    # Its own attempts are limited, too, and its failures count only there.
    assert statuses(known, user.email, PER_BROWSER) == [403] * PER_BROWSER
    assert attempt(known, user.email, PASSWORD).status_int == 429
    other = new_user(limited)
    assert statuses(known, other.email, PER_ACCOUNT) == [403] * PER_ACCOUNT
    assert attempt(known, other.email).status_int == 429


def test_the_cookie_of_a_known_browser_lasts_and_scripts_do_not_see_it(limited):
    visitor = Visitor(limited, https=True)
    visitor.get(LOGIN)
    response = visitor.sign_in(new_user(limited))
    (cookie,) = [c for c in sent_cookies(response) if c.key == "__Host-finance_browser"]
    assert int(cookie["max-age"]) == 180 * 86_400
    assert (cookie["path"], cookie["samesite"], cookie["domain"]) == ("/", "Lax", "")
    assert cookie["secure"]
    assert cookie["httponly"]


def test_a_cookie_of_another_user_or_made_up_is_no_known_browser(limited):
    user, other = new_user(limited), new_user(limited)
    browsers = [signed_in(limited, u).cookies["finance_browser"] for u in (user, other)]
    flood(limited, user)
    own, foreign = browsers
    browser, _, signature = own.partition(".")
    made_up = [foreign, "", ".", browser, f"{browser}.", f"x{own}", f"{own}x", "\xff"]
    made_up += [f".{signature}"]
    made_up += [f"{foreign.partition('.')[0]}.{signature}", f"{browser}.{'0' * 64}"]
    for value in made_up:
        visitor = Visitor(limited, address="203.0.113.8")
        visitor.get(LOGIN)
        visitor.cookies["finance_browser"] = value
        assert attempt(visitor, user.email, PASSWORD).status_int == 429, value
    visitor.cookies["finance_browser"] = own
    assert attempt(visitor, user.email, PASSWORD).status_int == 303


def test_a_new_password_forgets_the_browsers_but_this_one(limited):
    user = new_user(limited)
    here, there = signed_in(limited, user), signed_in(limited, user)
    new = "a new long password"
    here.change_password(new=new, status=303)
    flood(limited, user)
    assert attempt(there, user.email, new).status_int == 429
    here.submit("/overview", "/settings/logout", status=303)
    assert attempt(here, user.email, new).status_int == 303


def test_who_is_signed_in_can_change_the_password_whatever_others_guess(limited):
    user = new_user(limited)
    visitor = signed_in(limited, user)
    flood(limited, user)
    visitor.change_password(status=303)


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
    # No other spelling of the address allows further guesses.
    assert attempt(visitor, written(user.email), PASSWORD).status_int == 429
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
    # The refusals did not count against the account, and other addresses are not affected.
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


def test_a_forwarded_address_counts_only_from_a_trusted_proxy(limited, configured):
    for n in range(PER_ADDRESS):
        headers = {"X-Forwarded-For": f"198.51.100.{n}", "X-Real-IP": f"198.51.100.{n}"}
        visitor = Visitor(limited, headers=headers)
        assert attempt(visitor, f"guess{n}@example.org").status_int == 403
    visitor = Visitor(limited, headers={"X-Forwarded-For": "198.51.100.99"})
    assert attempt(visitor, "guess@example.org").status_int == 429

    behind = configured(**LIMITS, trusted_proxies="10.0.0.0/8")
    for n in range(PER_ADDRESS + 3):
        # Entries before the proxy's own may be invented by the client.
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
    response = inside.change_password()
    assert_error_page(response, 503)
    assert dump(limited) == before
    # Existing sessions stay signed in.
    assert inside.is_signed_in()


def test_the_waiting_time_is_written_for_people(limited):
    visitor, user = Visitor(limited), new_user(limited)
    statuses(visitor, user.email, PER_ACCOUNT)
    limited.clock.advance(3_600 // PER_ACCOUNT - 30)
    text = shown_text(attempt(visitor, user.email).text)
    assert re.search("try again in a minute[.]", text)

"""Where somebody is led after signing in."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from finance_api.http.surfaces import is_page
from finance_api.web.return_path import LOGIN, login_path, page_after


@pytest.mark.parametrize(
    "wanted",
    [
        "/overview",
        "/settings/tokens",
        "/settings/usage?period=12weeks",
        "/settings/tokens/x/revoke?a=b&c=%C3%BC",
        "/settings?next=//evil.example",
        "/settings/usage?x=/../..",
        "/settings/loginx",
    ],
)
def test_a_page_of_ours_is_led_to(wanted):
    assert page_after(wanted) == wanted


@pytest.mark.parametrize(
    "wanted",
    [
        "",
        "/",
        "//evil.example",
        "/\\evil.example",
        "/settings\\..",
        "https://evil.example/settings",
        "/settingsx",
        "/settings/..",
        "/settings/.",
        "/settings/../x",
        "/settings/%2e%2e/x",
        "/settings/%2E./x",
        "/settings/a/.%2e",
        "/settings/\n",
        "/settings/ü",
        "/settings/\x7f",
        LOGIN,
        LOGIN + "?next=x",
    ],
)
def test_any_other_place_is_not_led_to(wanted):
    assert page_after(wanted) == "/overview"


PIECES = ["/", "//", "\\", ".", "..", "%2e", "%2E", "%2f", "%5c", "settings", "/overview", "login"]
PIECES += ["?", "#", "@", ":", "evil.example", "http:", "\t", "\n", "\x00", " ", "ü", ";", "&"]


@given(st.lists(st.one_of(st.sampled_from(PIECES), st.text(max_size=3)), max_size=8))
def test_no_address_leads_out_of_the_settings_pages(pieces):
    target = page_after("".join(pieces))
    path = target.partition("?")[0].partition("#")[0]
    assert is_page(path)
    assert target.isascii()
    assert target.isprintable()
    steps = path.lower().replace("%2e", ".").replace("\\", "/").split("/")
    assert not {".", ".."} & set(steps)


def test_the_way_to_sign_in_keeps_the_whole_address():
    path = login_path("/settings/usage?a=b&c=d")
    assert path == f"{LOGIN}?next=%2Fsettings%2Fusage%3Fa%3Db%26c%3Dd"

"""Addresses of questions, as people paste them."""

import pytest

from finance_api.questions.addresses import MAX_ADDRESS_CHARACTERS, AddressRefused, normal_address


@pytest.mark.parametrize(
    ("pasted", "stored"),
    [
        ("/v1/api/records", "/v1/api/records"),
        (" v1/api/records?limit=5\n", "/v1/api/records?limit=5"),
        ("https://money.example.org/v1/api/budgets.csv", "/v1/api/budgets"),
        ("http://127.0.0.1:6543/behind/a/proxy/v1/api/records.xlsx?a=b", "/v1/api/records?a=b"),
        ("/v1/api/records/?&&a=1&&b=2&#top", "/v1/api/records?a=1&b=2"),
        ("/v1/api/records?category=eq.Café au lait", None),
        (
            '/v1/api/records?q="a"&note=eq.100%25+tax',
            "/v1/api/records?q=%22a%22&note=eq.100%25+tax",
        ),
    ],
)
def test_an_address_is_stored_as_path_and_query(pasted: str, stored: str | None) -> None:
    expected = stored or "/v1/api/records?category=eq.Caf%C3%A9%20au%20lait"
    assert normal_address(pasted) == expected
    assert normal_address(expected) == expected


@pytest.mark.parametrize(
    "pasted",
    ["", "?", "records?limit=5", "https://example.org/records", "http://[/v1/api/records"]
    + ["/wallet/v1/api/records", "javascript:alert(1)", "\x00", "/v1/api/records?q=\udcff"],
)
def test_other_texts_are_refused(pasted: str) -> None:
    with pytest.raises(AddressRefused, match=r"must begin with /v1/api/|is not an address"):
        normal_address(pasted)


@pytest.mark.parametrize("letter", ["a", "é"])
def test_too_long_addresses_are_refused(letter: str) -> None:
    with pytest.raises(AddressRefused, match="more than 2,000 characters"):
        normal_address(f"/v1/api/records?q={letter * (MAX_ADDRESS_CHARACTERS - 17)}")

"""Personal tokens: prefix and checksum show that a text cannot be a token."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from finance_api.auth.authentication import bearer_token
from finance_api.auth.personal_tokens import digest, is_well_formed, new_token
from finance_api.http.identity import Failure

ALPHABET = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"


def test_a_token_has_its_prefix_secret_and_checksum():
    tokens = {new_token() for _ in range(200)}
    assert len(tokens) == 200
    for token in tokens:
        assert token.startswith("fin_")
        assert len(token) == 4 + 43 + 6
        assert is_well_formed(token)
        assert len(digest(token)) == 64
    # The whole secret is random: most of the 62 characters occur at each place.
    assert all(len(set(place)) > 40 for place in [*zip(*tokens, strict=True)][4:47])


@given(st.integers(0, 52), st.sampled_from(ALPHABET))
def test_one_wrong_character_is_noticed(place, character):
    token = new_token()
    changed = token[:place] + character + token[place + 1 :]
    assert is_well_formed(changed) == (changed == token)


@given(st.text(max_size=60))
def test_other_text_is_no_token(text):
    assert not is_well_formed(text)


@pytest.mark.parametrize("header", [None, "", "Basic abc", "Bearerx abc", "Token abc"])
def test_another_scheme_is_no_bearer_token(header):
    assert bearer_token(header) is Failure.ABSENT


@pytest.mark.parametrize(
    "header",
    ["Bearer", "Bearer ", "bearer a b", "Bearer a,b", "Bearer ä", "Bearer a, Bearer b"]
    + ["Bearer " + "a" * 9_000],
)
def test_a_malformed_bearer_header_is_distinguished_from_none(header):
    assert bearer_token(header) is Failure.INVALID


def test_the_scheme_is_read_in_any_case():
    assert bearer_token("bEARER abc") == "abc"

"""Numbers below /wallet are exact in every notation."""

import orjson
from hypothesis import example, given
from hypothesis import strategies as st

from finance_api.values.number import DECIMALS, MAX_UNITS, decimal_text
from finance_api.wallet.shapes import decimal


@given(st.integers(-MAX_UNITS, MAX_UNITS), st.sampled_from([DECIMALS, DECIMALS + 2]))
@example(1, DECIMALS + 2)
@example(1, DECIMALS)
@example(-(10**15) + 1, DECIMALS)
@example(10**15 + 1, DECIMALS)
@example(9 * 10**15 + 3, DECIMALS)
@example(MAX_UNITS, DECIMALS)
def test_what_is_written_is_the_exact_decimal(units, decimals):
    assert orjson.dumps(decimal(units, decimals)).decode() == decimal_text(units, decimals)

"""Numbers below /wallet are exact in every notation."""

import tracemalloc

import orjson
from hypothesis import example, given
from hypothesis import strategies as st

from finance_api.resources import CATEGORIES
from finance_api.storage.interface import reading
from finance_api.storage.testing import Unit, make_row
from finance_api.values.number import DECIMALS, MAX_UNITS, decimal_text
from finance_api.wallet import members
from finance_api.wallet.members import decimal


@given(st.integers(-MAX_UNITS, MAX_UNITS), st.sampled_from([DECIMALS, DECIMALS + 2]))
@example(1, DECIMALS + 2)
@example(1, DECIMALS)
@example(-(10**15) + 1, DECIMALS)
@example(10**15 + 1, DECIMALS)
@example(9 * 10**15 + 3, DECIMALS)
@example(MAX_UNITS, DECIMALS)
def test_what_is_written_is_the_exact_decimal(units, decimals):
    assert orjson.dumps(decimal(units, decimals)).decode() == decimal_text(units, decimals)


def test_what_is_remembered_of_a_category_takes_two_kilobytes(new_backend):
    count, unit = 500, Unit(new_backend("memory"))
    unit.put(CATEGORIES, *[make_row(CATEGORIES, n, name=f"Category {n}") for n in range(count)])
    with reading(unit.backend) as storage:
        members._read_names(storage, unit.user.id)
        tracemalloc.start()
        try:
            names = members._read_names(storage, unit.user.id)
            assert tracemalloc.get_traced_memory()[0] / count <= 2_000
        finally:
            tracemalloc.stop()
    assert len(names.categories) == count

"""Numbers below /wallet are exact, whichever way they are written; names are remembered."""

import tracemalloc

import orjson
from hypothesis import example, given
from hypothesis import strategies as st

from finance_api.api.wallet import context
from finance_api.api.wallet.members import decimal, dumps
from finance_api.resources import CATEGORIES
from finance_api.resources.wire import records_of
from finance_api.storage.interface import DataState, reading
from finance_api.storage.testing import Unit, make_row
from finance_api.values.number import DECIMALS, MAX_UNITS, decimal_text


@given(st.integers(-MAX_UNITS, MAX_UNITS), st.sampled_from([DECIMALS, DECIMALS + 2]))
@example(1, DECIMALS + 2)
@example(1, DECIMALS)
@example(-(10**15) + 1, DECIMALS)
@example(10**15 + 1, DECIMALS)
@example(9 * 10**15 + 3, DECIMALS)
@example(MAX_UNITS, DECIMALS)
def test_what_is_written_is_the_exact_decimal(units, decimals):
    assert orjson.dumps(decimal(units, decimals)).decode() == decimal_text(units, decimals)


@given(st.lists(st.integers(-MAX_UNITS, MAX_UNITS)))
@example([10**15 - 1])
@example([1 - 10**15])
@example([10**15])
@example([9 * 10**15 + 3])
@example([-MAX_UNITS, 12_500])
def test_amounts_of_stored_json_are_written_as_they_are(units):
    lines = [f'{{"amount":{decimal_text(number)}}}' for number in units]
    assert dumps(records_of("\n".join(lines).encode())).decode() == f"[{','.join(lines)}]"


def test_so_many_names_are_remembered_the_last_asked_for_longest(monkeypatch):
    read = []

    def read_names(storage, user_id):
        read.append(user_id)
        return context.Names(dict.fromkeys("ab"), {}, {}, {}, None, {})

    monkeypatch.setattr(context, "_read_names", read_names)
    monkeypatch.setattr(context, "_REMEMBERED", 8)
    names = context._RememberedNames()
    state = DataState(1, 1)
    for user_id in (1, 2, 1, 3, 1, 2):
        names.get(None, user_id, state)
    names.get(None, 2, DataState(1, 1))
    assert read == [1, 2, 3, 2, 2]
    monkeypatch.setattr(context, "_REMEMBERED", 1)
    for _ in range(2):
        names.get(None, 4, state)
    assert read == [1, 2, 3, 2, 2, 4]


def test_what_is_remembered_of_a_category_takes_two_kilobytes(new_backend):
    count, unit = 500, Unit(new_backend("memory"))
    unit.put(CATEGORIES, *[make_row(CATEGORIES, n, name=f"Category {n}") for n in range(count)])
    with reading(unit.backend) as storage:
        context._read_names(storage, unit.user.id)
        tracemalloc.start()
        try:
            names = context._read_names(storage, unit.user.id)
            assert tracemalloc.get_traced_memory()[0] / count <= 2_000
        finally:
            tracemalloc.stop()
    assert len(names.categories) == count

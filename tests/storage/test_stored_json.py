"""The JSON of records: shortened for storing, and restored."""

import pytest

from finance_api.resources import RECORDS
from finance_api.serialization.rows import encoder_of
from finance_api.storage.sql.read_model.shortening import _CODES, shortened, whole
from finance_api.storage.testing import make_row
from finance_api.storage.testing.units import values_for

USUAL = {"labels": (), "labelIds": (), "amount": -1, "recordType": "expense", "importId": 7}
TEXTS = [run for _, run in _CODES] + ["".join(map(chr, range(32))), "\\\x01", '"\x02"', "\x7f"]


@pytest.mark.parametrize("text", [None, *TEXTS])
@pytest.mark.parametrize("others", [USUAL, {f.name: values_for(f)[-1] for f in RECORDS.fields}])
def test_no_text_of_a_record_is_changed_by_storing_it(text, others):
    json = encoder_of(RECORDS).encode(make_row(RECORDS, 1, **{**others, "payee": text}))
    stored = shortened(json.decode())
    assert len(stored) < len(json)
    assert whole(stored.encode()) == json


def test_most_of_what_records_have_in_common_is_left_out():
    json = encoder_of(RECORDS).encode(make_row(RECORDS, 1, **USUAL))
    assert len(json) - len(shortened(json.decode())) > 240

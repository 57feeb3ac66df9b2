"""The allowed values of each kind in the native format, for every field of every type."""

from decimal import Decimal

import pytest

from finance_api.importers.interface import ImportRefused
from finance_api.resources import ACCOUNTS, BY_MODEL_TYPE, CONTACTS, RECORDS, RESOURCES, SPLITS
from finance_api.resources.field import Kind, Role
from finance_api.storage.memory import MemoryBackend
from support.ledger import Person, account, an_id, document, record
from support.service import native_line

_LIMIT = {"periodStart": "2026-01-01", "limit": 1}
WRONG = {
    Kind.TEXT: (1, True, [], {}, Decimal("1.5")),
    Kind.NUMBER: ("1", True, [], {}, ""),
    Kind.DATE: (20260131, True, [], "31.01.2026", "2026-02-30", "2026-1-1", "", "today"),
    Kind.DATETIME: (1, "2026-01-31T25:00:00Z", "2026-01-31 10:00:00Z", "x", [], ""),
    Kind.ID: (1, "x", "", f"{{{an_id(1)}}}", an_id(1).replace("-", ""), an_id(1) + " ", []),
    Kind.CHOICE: (1, "no such choice", "", ["EUR"], "eur"),
    Kind.BOOLEAN: (0, 1, "true", "", []),
    Kind.TEXT_LIST: ("a", [1], [None], [["a"]], {}, 1),
    Kind.ID_LIST: (an_id(1), ["x"], [1], [None], {}),
    Kind.LIMIT_LIST: (1, {}, [1], [{}], [_LIMIT | {"limit": "1"}], [_LIMIT, _LIMIT]),
}
FIELDS = [
    pytest.param(r, f, id=f"{r.model_type}.{f.name}") for r in RESOURCES for f in r.native_fields
]
NOT_STORED = [
    pytest.param(r, f.name, id=f"{r.model_type}.{f.name}")
    for r in RESOURCES
    for f in r.having_role(Role.DERIVED, Role.COMPUTED)
]


@pytest.fixture
def person():
    return Person(MemoryBackend())


def smallest(resource):
    """Return an object with only the required fields."""
    if resource in (RECORDS, SPLITS):
        return {**record(9), "reserved_model_type": resource.model_type}
    if resource is ACCOUNTS:
        return account(9)
    return document(resource.model_type, 9)


def parts_of(resource):
    """Return the parts without which a split record is refused."""
    return [record(8, splitId=an_id(9))] if resource is SPLITS else []


def refusal(person, *rows):
    before = person.snapshot()
    with pytest.raises(ImportRefused) as refused:
        person.file("".join(r if isinstance(r, str) else native_line(r) for r in rows))
    assert person.snapshot() == before
    return refused.value


def note_of(person, written):
    """Return what a note written in the file as ``written`` becomes."""
    line = native_line(record(9, note="@")).replace('"@"', written)
    person.file(native_line(account()) + line)
    return person.row(RECORDS, 9)["note"]


@pytest.mark.parametrize(("resource", "field"), FIELDS)
def test_value_of_a_wrong_kind_is_refused_with_line_and_field(person, resource, field):
    for value in WRONG[field.kind]:
        error = refusal(person, account(), {**smallest(resource), field.name: value})
        assert (error.line, field.name in error.reason) == (2, True), value


@pytest.mark.parametrize(("resource", "field"), FIELDS)
def test_null_is_the_same_as_no_key(person, resource, field):
    rows = [account(), {**smallest(resource), "sourceId": "s", field.name: None}]
    without = {k: v for k, v in rows[1].items() if k != field.name}
    if field.required:
        assert field.name in refusal(person, *rows).reason
        assert field.name in refusal(person, rows[0], without).reason
        return
    if (resource, field.name) == (SPLITS, "id"):
        assert "splitId" in refusal(person, *rows, *parts_of(resource)).reason
        return
    other = Person(person.backend)
    person.native(*rows, *parts_of(resource))
    other.native(rows[0], without, *parts_of(resource))
    if field.name == "id":
        assert len(person.rows(resource)) == len(other.rows(resource))
    else:
        assert person.dump() == other.dump()


@pytest.mark.parametrize(("resource", "name"), NOT_STORED)
def test_computed_fields_and_joined_names_are_unknown_keys(person, resource, name):
    error = refusal(person, account(), {**smallest(resource), name: None})
    assert error.line == 2
    assert f'"{name}"' in error.reason


@pytest.mark.parametrize("model_type", [*BY_MODEL_TYPE, "Nonsense", None, 1, "record", ""])
def test_only_the_known_types_come_in(person, model_type):
    resource = BY_MODEL_TYPE.get(model_type)
    if resource is None:
        error = refusal(person, {"reserved_model_type": model_type, "id": an_id(1)})
        assert "reserved_model_type" in error.reason
    else:
        person.native(account(), smallest(resource), *parts_of(resource))
        assert person.row(resource, 9)["id"] == an_id(9)


@pytest.mark.parametrize(
    ("written", "stored"),
    [
        ("0", 0),
        ("-0", 0),
        ("-0.0", 0),
        ("1.5", 15_000),
        ("1.50000000", 15_000),
        ("0.0001", 1),
        ("-0.0001", -1),
        ("900719925474099.3001", 9007199254740993001),
        ("922337203685477.5807", 2**63 - 1),
        ("-922337203685477.5807", -(2**63) + 1),
        ("1e2", 1_000_000),
        ("1.5E+1", 150_000),
        ("12500e-4", 12_500),
    ],
)
def test_numbers_are_kept_exactly(person, written, stored):
    line = native_line(record(9, amount=Decimal(0))).replace('"amount": 0', f'"amount": {written}')
    person.file(native_line(account()) + line)
    assert person.row(RECORDS, 9)["amount"] == stored


@pytest.mark.parametrize(
    "written",
    "922337203685477.5808 -922337203685477.5809 9223372036854775808 0.00001 1.00005 1e-5 1e15 "
    "1e400 1e99999 -1e400 1e-30 NaN Infinity -Infinity +1 01 1. .5 0x10 1_000 ١ 1e "
    "12345678901234567890123456789012345678901234567890".split(),
)
def test_numbers_that_do_not_fit_are_refused_and_never_rounded(person, written):
    line = native_line(record(9, amount=Decimal(0))).replace('"amount": 0', f'"amount": {written}')
    assert refusal(person, account(), line).line == 2


def test_number_of_very_many_digits_is_refused(person):
    line = native_line(record(9, amount=Decimal(0)))
    for number in ("9" * 10_000, "0." + "9" * 10_000, "-" + "1" * 5_000 + ".5"):
        error = refusal(person, account(), line.replace('"amount": 0', f'"amount": {number}'))
        assert error.line == 2


@pytest.mark.parametrize(
    ("written", "kept"),
    [
        ("2026-01-31", "2026-01-31T00:00:00Z"),
        ("2026-01-31T10:11:12Z", "2026-01-31T10:11:12Z"),
        ("2026-01-31T10:11:12.999Z", "2026-01-31T10:11:12Z"),
        ("2026-01-31T23:30:00-02:00", "2026-02-01T01:30:00Z"),
        ("1900-01-01", "1900-01-01T00:00:00Z"),
        ("2199-12-31T23:59:59Z", "2199-12-31T23:59:59Z"),
        ("2024-02-29", "2024-02-29T00:00:00Z"),
    ],
)
def test_record_date_is_a_date_or_a_date_time_and_kept_in_utc(person, written, kept):
    person.native(account(), record(9, recordDate=written))
    assert f'"recordDate":"{kept}"'.encode() in person.dump()


@pytest.mark.parametrize(
    "written",
    "0001-01-01 1899-12-31T23:59:59Z 2200-01-01 9999-12-31 "
    "2026-02-29 0000-01-01 2026-13-01 2026-01-31T24:00:00Z 2026-01-31T10:61:00Z "
    "0001-01-01T00:00:00+01:00 9999-12-31T23:59:59-01:00 10000-01-01 ２０２６-01-31".split(),
)
def test_impossible_record_dates_are_refused(person, written):
    assert "recordDate" in refusal(person, account(), record(9, recordDate=written)).reason


def test_dates_before_1970_or_after_next_year_are_named(person):
    days = "1965-03-03", "1970-01-01", "2027-12-31", "2055-03-03"
    rows = [record(n, recordDate=day) for n, day in enumerate(days, 10)]
    assert person.native(account(), *rows).remarks == [
        "2 records before 1970 or after next year, such as 1965-03-03 in line 2"
    ]
    assert person.native(*rows[1:3]).remarks == []


@pytest.mark.parametrize(
    ("written", "kept"),
    [
        (r'"e\u0301"', "é"),
        ('"e\u0301"', "é"),
        (r'"a\tb\nc"', "a\tb\nc"),
        (r'"a\rb\u0007c\u009fd\u007f"', "abcd"),
        (r'" \t\n "', None),
        (r'"\u00a0\u3000"', None),
        (r'"\u0001"', None),
        (r'"\ud83d\ude00"', "😀"),
        (r'" kept  as it is "', " kept  as it is "),
        ('""', None),
    ],
)
def test_text_is_nfc_without_controls_and_blank_is_null(person, written, kept):
    assert note_of(person, written) == kept


@pytest.mark.parametrize("written", [r'"a\u0000b"', r'"\ud800"', r'"\udc00\ud800"'])
def test_nul_and_lone_surrogates_are_refused(person, written):
    line = native_line(record(9, note="@")).replace('"@"', written)
    error = refusal(person, account(), line)
    assert (error.line, "note" in error.reason) == (2, True)
    contact = native_line(document("Contact", 9, phone="@")).replace('"@"', written)
    assert refusal(person, contact).line == 1


def test_ids_come_in_any_case_and_are_kept_in_lower_case(person):
    upper = "ABCDEF01-2345-6789-ABCD-EF0123456789"
    person.native(account(id=upper), record(9, accountId=upper.lower()))
    assert person.only(ACCOUNTS)["id"] == upper.lower()


def test_repetitions_in_lists_are_kept_once_in_their_order(person):
    labels = [document("Label", n, name=f"label {n}") for n in (2, 3)]
    ids = [an_id(3), an_id(2), an_id(3).upper()]
    person.native(account(), *labels, record(9, labelIds=ids))
    assert person.row(RECORDS, 9)["labelIds"] == (an_id(3), an_id(2))


def test_other_members_of_an_open_ended_document_are_kept_exactly(person):
    line = native_line(document("Contact", 9)).rstrip("}\n")
    line += ',"n":900719925474099.30010,"b":[true,null,{"deep":"é"}],"blank":""}\n'
    person.file(line)
    assert person.row(CONTACTS, 9)["extra"] is not None
    assert '"n":900719925474099.30010,"b":[true,null,{"deep":"é"}],"blank":""}'.encode() in (
        person.dump()
    )

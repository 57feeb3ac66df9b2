"""A dump, imported for a user without data and dumped again, gives the same bytes."""

import json
from decimal import Decimal

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from finance_api.importers.interface import ImportRefused
from finance_api.importers.native import MAX_TEXT_BYTES
from finance_api.resources import GOALS, RESOURCES, SPLITS
from finance_api.resources.field import Kind
from finance_api.resources.plans import CUSTOM
from support.ledger import Person, account, an_id, document, ofx_file, ofx_statement, record
from support.nightly import count

REFERRED = {
    "Account": (an_id(1), an_id(2)),
    "Category": (an_id(3), an_id(4)),
    "Label": (an_id(5), an_id(6)),
}
BASE = [
    account(1),
    account(2),
    document("Category", 3),
    document("Category", 4, parentId=an_id(3)),
    document("Label", 5),
    document("Label", 6),
]
LETTERS = 'aé\u0301\u1100\u1161\ufb2c\U0001d160\u0958 \t\n\x01\x1f\x7f\x85\u2028"\\/,;😀ß\ufeff'
texts = st.text(LETTERS, max_size=8)
times = st.sampled_from(
    ["1900-01-01T00:00:00Z", "2026-01-31T23:59:59Z", "2199-12-31T23:59:59Z", "2026-02-01"]
)
numbers = st.one_of(
    st.integers(-(2**63) + 1, 2**63 - 1).map(lambda n: Decimal(n).scaleb(-4)),
    st.sampled_from([Decimal(t) for t in ("0", "-0.0", "1.10", "0.0001", "100")]),
)
#: Limits of periods that begin a week, a month and a year.
limits = st.dictionaries(
    st.sampled_from(["1900-01-01", "2018-01-01", "2024-01-01"]), numbers.map(abs)
).map(lambda given: [{"periodStart": day, "limit": given[day]} for day in sorted(given)])
small = st.integers(-1000, 1000).map(lambda n: Decimal(n).scaleb(-4))


def values_of(field, model_type):
    if field.name == "parentId":
        return st.sampled_from([an_id(3), an_id(4)])
    if field.name == "accountId" and model_type == "Record":
        return st.sampled_from(REFERRED["Account"])
    if field.name == "currencyCode":
        return st.just("EUR")
    if field.name in ("amount", "initialBalance"):
        return small
    if field.name == "recurrenceRule":
        return st.sampled_from(["FREQ=DAILY", "FREQ=MONTHLY;BYMONTHDAY=31"])
    if field.name == "startDate" and model_type == "StandingOrder":
        return st.sampled_from(["1900-01-01", "2026-02-01", "9999-12-31"])
    ids = REFERRED.get(field.references or "", (an_id(7), an_id(8).upper()))
    required = texts.map(lambda t: f"x{t}")
    return {
        Kind.TEXT: required if field.required else texts,
        Kind.NUMBER: numbers,
        Kind.DATE: times if field.keeps_time else times.map(lambda t: t[:10]),
        Kind.DATETIME: times,
        Kind.ID: st.sampled_from(ids),
        Kind.CHOICE: st.sampled_from(field.choices or ("",)),
        Kind.BOOLEAN: st.booleans(),
        Kind.TEXT_LIST: st.lists(texts, max_size=3),
        Kind.ID_LIST: st.lists(st.sampled_from(ids), max_size=3),
        Kind.LIMIT_LIST: limits,
    }[field.kind]


json_values = st.recursive(
    st.one_of(st.none(), st.booleans(), st.integers(), texts),
    lambda inner: st.one_of(
        st.lists(inner, max_size=2),
        st.dictionaries(st.text("aé\\ ", max_size=3), inner, max_size=2),
    ),
    max_leaves=5,
)


@st.composite
def rows(draw):
    # Wholes of splits need their parts.
    resource = draw(st.sampled_from([r for r in RESOURCES if r is not SPLITS]))
    row = {"reserved_model_type": resource.model_type, "id": an_id(draw(st.integers(20, 23)))}
    for field in resource.native_fields:
        if field.name in ("id", "source", "sourceId", "splitId"):
            continue
        # A rule needs its start date.
        if field.required or field.name == "startDate" or draw(st.booleans()):
            row[field.name] = draw(values_of(field, resource.model_type))
    if resource is GOALS and row.get("accountId"):
        row.pop("labelId", None)
    if row.get("type") == CUSTOM:
        row.pop("limitOverrides", None)
    if draw(st.booleans()):
        row["sourceId"] = f"{resource.name} {row['id']}{draw(texts)}"
        row["source"] = draw(st.sampled_from(["a", "b"]))
    if resource.open_ended:
        row["other"] = draw(json_values)
    return row


@pytest.mark.nightly
@pytest.mark.parametrize("storage", ["memory", "sqlite", "postgresql"])
def test_dump_of_any_data_comes_in_again_byte_for_byte(backends, storage):
    @settings(max_examples=count(8, 200), deadline=None, suppress_health_check=list(HealthCheck))
    @given(st.lists(rows(), max_size=12))
    def check(data):
        person = Person(backends(storage))
        person.native(*BASE, *data)
        person.audit()
        dump = person.dump()
        other = Person(backends(storage))
        other.clock.set("2030-01-01T00:00:00Z")
        report = other.file(dump)
        assert report.created == len(dump.splitlines())
        assert other.dump() == dump
        assert other.revision == 1
        # Imported for the same user, it has nothing new.
        before = person.snapshot()
        assert not person.file(dump).changed
        assert person.snapshot() == before

    check()


def test_dump_goes_from_storage_to_storage(backends):
    rows = [*BASE, record(9, note="é\n😀", amount=Decimal("900719925474099.3001"))]
    dumps = []
    data = None
    for storage in ("memory", "sqlite", "postgresql", "memory"):
        person = Person(backends(storage))
        if data is None:
            person.native(*rows)
        else:
            person.file(data)
        data = person.dump()
        dumps.append(data)
    assert len(set(dumps)) == 1
    assert b"900719925474099.3001" in dumps[0]


def test_dump_refers_only_backwards_and_has_rows_by_id(person):
    person.native(
        *BASE,
        record(30, categoryId=an_id(4), labelIds=[an_id(6)]),
        record(10),
        document("RecordRule", 9, categoryId=an_id(4)),
        document("Budget", 9, categoryIds=[an_id(4)]),
        document("StandingOrder", 9, accountId=an_id(2)),
    )
    seen: set[str] = set()
    order: list[tuple[str, str]] = []
    lines = [json.loads(line) for line in person.dump().splitlines()]
    for line in lines:
        for name, value in line.items():
            if name.endswith(("Id", "Ids")) and name not in ("sourceId", "transferId", "parentId"):
                used = {value} if isinstance(value, str) else set(value or ())
                assert used <= seen
        seen.add(line["id"])
        order.append((line["reserved_model_type"], line["id"]))
    types = list(dict.fromkeys(t for t, _ in order))
    assert [(t, i) for t in types for i in sorted(i for u, i in order if u == t)] == order


def test_statement_data_comes_in_again(person, new_person):
    person.native(document("RecordRule", 9, keywords=["shop"]))
    person.ofx(
        ofx_file(ofx_statement([("20260101", "-5", "1", "Shop")], balance=("1", "20260102")))
    )
    person.csv(
        "date,amount,payee,category\n2026-01-03,-5,x,Gifts\n", account="Cash", currency="EUR"
    )
    other = new_person()
    other.file(person.dump())
    assert other.dump() == person.dump()


def test_a_mark_after_a_line_break_comes_in_again_in_what_a_source_said(person, new_person):
    person.native(*BASE, record(9, note="\n\u0301", source="a", sourceId="1"), record(9))
    other = new_person()
    other.file(person.dump())
    assert other.dump() == person.dump()


@pytest.mark.parametrize(
    "members",
    ['"é":1,"e\u0301":2', '"name\u007f":"y"', '"a":{"b\u0085":1,"b":2}', '"id\u0081":"y"'],
    ids=["nfc", "controls", "nested", "id"],
)
def test_names_of_members_that_meet_when_cleaned_are_refused(person, members):
    line = f'{{"reserved_model_type":"Contact","id":"{an_id(9)}","name":"x",{members}}}\n'
    with pytest.raises(ImportRefused, match=r"^line 1: .* twice"):
        person.file(line)
    assert person.snapshot() == (0, b"")


@pytest.mark.parametrize("letter", count(['"'], ['"', "\\", "\u2028", "é"]))
def test_nearly_the_longest_text_that_comes_in_is_written_as_a_line_that_comes_in(
    person, new_person, letter
):
    """Letters that JSON escapes make the dump's line longer than the file's."""
    word = letter * (4_000 // len(repr(letter)[1:-1].encode()))
    row = document("RecordRule", 9, keywords=[f"{n:04}{word}" for n in range(1000)])
    person.file(json.dumps(row, ensure_ascii=False) + "\n")
    other = new_person()
    other.file(person.dump())
    assert other.dump() == person.dump()
    row["keywords"] = [each + each[:500] for each in row["keywords"]]
    with pytest.raises(ImportRefused, match=f"at most {MAX_TEXT_BYTES} are allowed"):
        person.file(json.dumps(row, ensure_ascii=False) + "\n")

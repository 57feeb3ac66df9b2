"""Filters on dates and times: whole days, moments, offsets, the ends of the calendar."""

import pytest

from support.native_rows import account, record

MOMENTS = (
    "2026-03-17T23:59:59Z",
    "2026-03-18T00:00:00Z",
    "2026-03-18T12:30:00Z",
    "2026-03-18T23:59:59Z",
    "2026-03-19T00:00:00Z",
)


@pytest.fixture
def dated(client):
    """Records 1 to 5 at MOMENTS, both as recordDate and as createdAt."""
    client.load(
        account(), *(record(n, recordDate=m, createdAt=m) for n, m in enumerate(MOMENTS, 1))
    )
    return client


def found(client, field, value):
    ids = client.names("records", "id", **{field: value}, sortBy="id")
    return [int(i[-12:], 16) for i in ids]


@pytest.mark.parametrize(
    ("condition", "expected"),
    [
        ("eq.2026-03-18", [2, 3, 4]),
        ("gte.2026-03-18,lte.2026-03-18", [2, 3, 4]),
        ("gt.2026-03-17,lt.2026-03-19", [2, 3, 4]),
        ("eq.2026-03-18,eq.2026-03-19", []),
        ("eq.2026-03-18T12:30:00Z", [3]),
        ("eq.2026-03-18T12:30Z", [3]),
        ("eq.2026-03-18T12:30:00", [3]),
        ("eq.2026-03-18T12:30:00.5Z", []),
        ("gt.2026-03-18T12:29:59.999Z,lt.2026-03-18T12:30:00.001Z", [3]),
        ("lt.2026-03-18T12:30:00.5Z", [1, 2, 3]),
        ("gte.2026-03-18T12:30:00.5Z", [4, 5]),
        ("eq.2026-03-18t12:30:00z", [3]),
        ("eq.2026-03-18T14:30:00+02:00", [3]),
        ("eq.2026-03-18T14:30:00 02:00", [3]),
        ("eq.2026-03-18T14:30 02:00", [3]),
        ("gte.2026-03-18T14:30:00 02:00,lt.2026-03-19T01:59:59 02:00", [3]),
        ("eq.2026-03-18T07:00:00-05:30", [3]),
        ("eq.2026-03-18T12:30:00-00:00", [3]),
        ("eq.2026-03-19T02:00:00+02:00", [5]),
        ("gt.2026-03-18T00:00:00Z", [3, 4, 5]),
        ("gt.9999-12-31", []),
        ("gt.9999-12-31T23:59:59Z", []),
        ("lt.0001-01-01", []),
        ("gt.9999-12-31T23:59:59-23:59", []),
        ("lt.0001-01-01T00:00:00+23:59", []),
    ],
)
def test_a_day_is_whole_and_a_moment_is_a_moment(dated, condition, expected):
    assert found(dated, "recordDate", condition) == expected
    assert found(dated, "createdAt", condition) == expected


def test_impossible_dates_and_times_are_refused(client):
    for operand in (
        "2026-02-30 2025-02-29 1900-02-29 2026-13-01 2026-00-10 2026-04-31 2026-01-00 0000-01-01 "
        "10000-01-01 -001-01-01 2026-1-1 26-01-01 20260101 01/02/2026 2026-W05-1 "
        "2026-13 2026-00 2026-1 0000 -d -1h --1d -1.5d -1D "
        "2026-060 Today now last-decade 2026-01-01T 2026-01-01T10 2026-01-01T24:00:00Z "
        "2026-01-01T23:60:00Z 2026-01-01T10:00:00+25:00 2026-01-01T10:00:00+02:60 "
        "2026-01-01T10:00:00+02 2026-01-01T10:00:00+0200 2026-01-01T10:00:00ZZ "
        "2026-02-30T10:00:00Z 2026-01-01T10:00:00,5Z ２０２６-01-01 ٢٠٢٦-01-01 2026−01−01 "
        "1767225600 9223372036854775808 null"
    ).split(" ") + ["", " ", "2026-01-01 ", " 2026-01-01", "2026-01-01\n"]:
        for field in ("recordDate", "createdAt"):
            for prefix in ("eq", "gt", "lte"):
                assert client.fault("records", **{field: f"{prefix}.{operand}"})["name"] == field


def test_a_record_date_is_shown_as_its_utc_day_and_sorted_by_its_time(dated):
    assert dated.names("records", "recordDate", sortBy="recordDate") == [m[:10] for m in MOMENTS]
    down = dated.names("records", "id", sortBy="-recordDate")
    assert [int(i[-12:], 16) for i in down] == [5, 4, 3, 2, 1]
    assert dated.names("records", "id") == down


def test_an_imported_offset_is_moved_to_utc(client):
    client.load(
        account(),
        record(1, recordDate="2026-03-18T00:30:00+02:00", createdAt="2026-03-18T00:30:00+02:00"),
    )
    (row,) = client.get("records").json["records"]
    assert row["recordDate"] == "2026-03-17"
    assert row["createdAt"] == "2026-03-17T22:30:00Z"
    assert found(client, "recordDate", "eq.2026-03-17") == [1]


def test_the_ends_of_the_calendar_are_served(client):
    client.load(
        account(),
        record(1, recordDate="1900-01-01"),
        record(2, recordDate="2199-12-31T23:59:59Z", createdAt="9999-12-31T23:59:59Z"),
        record(3, recordDate="1969-12-31T23:59:59Z"),
    )
    assert client.names("records", "recordDate") == ["2199-12-31", "1969-12-31", "1900-01-01"]
    assert found(client, "recordDate", "eq.2199-12-31") == [2]
    assert found(client, "recordDate", "gt.9999-12-31") == []
    assert found(client, "createdAt", "eq.9999-12-31T23:59:59Z") == [2]
    assert found(client, "recordDate", "eq.1900-01-01") == [1]
    assert found(client, "recordDate", "lt.1970-01-01") == [1, 3]

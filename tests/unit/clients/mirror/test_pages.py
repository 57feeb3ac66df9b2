"""A page of changes counts only if it is as the API describes it."""

import json

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from finance_api.clients.mirror.pages import PageRefused, parse_page
from finance_api.clients.mirror.source import SourceError
from finance_api.clients.mirror.updating import MirrorRefused, update
from finance_api.resources import PUBLIC_RESOURCES
from support.nightly import count


def example(resource):
    """Return an object of the resource, made of the fields' examples."""
    return {field.name: field.example for field in resource.fields}


def changes():
    for resource in PUBLIC_RESOURCES:
        if resource.path:
            row = example(resource)
            put = {"type": resource.path, "id": row["id"], "op": "put", "revision": 3, "data": row}
            yield put
            yield {"type": resource.path, "id": "gone", "op": "delete", "revision": 4}


def good():
    return {"changes": list(changes()), "next": "4.a", "hasMore": False, "revision": 4}


def body_of(page):
    return json.dumps(page, default=float).encode()


def refused(page):
    with pytest.raises(PageRefused) as caught:
        parse_page(page if isinstance(page, bytes) else body_of(page))
    return str(caught.value)


def test_a_page_of_examples_is_right():
    assert len(parse_page(body_of(good()))["changes"]) == len(list(changes())) > 10


@pytest.mark.parametrize("body", [b"<html>", b"[]", b"{}", b"\xff", b"[" * 100_000])
def test_another_answer_is_no_page(body):
    assert "is this the address of finance_api?" in refused(body)


def test_a_page_whose_changes_are_no_list_is_refused():
    assert "changes" in refused(body_of({**good(), "changes": 1}))


@pytest.mark.parametrize(
    ("member", "value", "sentence"),
    [
        ("revision", b"1e999999999", "a number with too many digits"),
        ("revision", b"9" * 5_000_000, "a number with too many digits"),
        ("revision", b"1.5", "the page: revision has a value"),
        ("revision", b"NaN", "the number NaN"),
        ("hasMore", b'"no"', "the page: hasMore has a value"),
        ("next", b"null", "the page: next has a value"),
        ("next", b'"\\ud800"', "the page: next has a value"),
    ],
)
def test_a_wrong_member_of_a_page_is_named(member, value, sentence):
    marked = body_of({**good(), member: "MARK"})
    assert sentence in refused(marked.replace(b'"MARK"', value))


@pytest.mark.parametrize(
    ("change", "sentence"),
    [
        ({"op": "remove"}, "change 1: op has a value"),
        ({"op": "delete"}, "deletes an object and has its data"),
        ({"id": "another"}, "has two ids"),
        ({"id": 5}, "change 1: id has a value"),
        ({"data": None}, "is not an object"),
        ({"data": {}}, "is the service older than this program?"),
    ],
)
def test_a_change_that_the_api_does_not_have_is_refused(change, sentence):
    page = good()
    page["changes"][0] |= change
    assert sentence in refused(page)


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("createdAt", 5),
        ("createdAt", "yesterday"),
        ("amount", "5"),
        ("amount", 1e25),
        ("amount", 0.00001),
        ("amount", None),
        ("recordDate", "2026-1-1"),
        ("payee", ["a"]),
        ("payee", "\ud800"),
        ("labels", "a"),
        ("labels", [1]),
    ],
)
def test_a_value_of_another_kind_is_refused_by_its_name(name, value):
    page = good()
    row = next(c["data"] for c in page["changes"] if c["type"] == "records" and c["op"] == "put")
    row[name] = value
    assert f": {name} has a value that the API does not have" in refused(page)


# -- whatever a server sends ---------------------------------------------------------------------

_VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=5),
    lambda inner: (
        st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner, max_size=3)
    ),
    max_leaves=5,
)


def mutated(data, value):
    """Return the value with one of its parts replaced, removed or written twice."""
    if isinstance(value, dict | list) and value and data.draw(st.integers(0, 4)):
        keys = sorted(value) if isinstance(value, dict) else range(len(value))
        key = data.draw(st.sampled_from(list(keys)))
        copy = value.copy()
        match data.draw(st.integers(0, 6)):
            case 0:
                del copy[key]
            case 1 if isinstance(copy, list):
                copy.append(copy[key])
            case _:
                copy[key] = mutated(data, value[key])
        return copy
    return data.draw(_VALUES)


class OnePage:
    base, token = "http://a.example", "fin_1"

    def __init__(self, body):
        self.body = body

    def read_page(self, since):
        return self.body


@given(data=st.data())
@settings(max_examples=count(100, 20_000), deadline=None)
def test_no_page_leaves_a_file_half_written_or_ends_in_a_traceback(data, tmp_path_factory):
    page = mutated(data, good())
    if isinstance(page, dict):
        page["hasMore"] = False
    body = json.dumps(page, default=float).encode("utf-8", "surrogatepass")
    path = tmp_path_factory.mktemp("mirror") / "finance.db"
    update(path, OnePage(body_of(good())))
    before = path.read_bytes()
    try:
        update(path, OnePage(body))
    except (SourceError, MirrorRefused) as error:
        assert str(error)
        assert path.read_bytes() == before

"""Finding rows by what people call them."""

from collections.abc import Iterable
from difflib import get_close_matches

from finance_api.importers.interface import ChangeRefused
from finance_api.ledger.session import UserRows
from finance_api.resources import ACCOUNTS, CATEGORIES
from finance_api.resources.field import Resource
from finance_api.resources.naming import snake_case
from finance_api.values import Row
from finance_api.values.ids import are_ids
from finance_api.values.text import counted, fold
from finance_api.values.time import date_text


def word_for(resource: Resource) -> str:
    """``standing order``"""
    return snake_case(resource.model_type).replace("_", " ")


def counted_rows(count: int, resource: Resource) -> str:
    """``1 standing order``, ``2 standing orders``"""
    many = snake_case(resource.name).replace("_", " ")
    return counted(count, word_for(resource), many)


def near_names(text: str, names: Iterable[str]) -> list[str]:
    """Return the names that somebody may have meant, nearest first."""
    by_folded = {fold(name): name for name in names}
    return [by_folded[near] for near in get_close_matches(fold(text), by_folded, n=3, cutoff=0.6)]


def did_you_mean(text: str, names: Iterable[str]) -> str:
    """The end of a sentence about a name that there is not."""
    near = near_names(text, names)
    return f"; did you mean {' or '.join(near)}?" if near else ""


def rows_called(owned: UserRows, resource: Resource, text: str) -> list[Row]:
    """The rows with this id, else this name, else this name in other letter case."""
    row_set = owned.row_set(resource)
    if are_ids(text) and text.lower() in row_set.rows:
        return [row_set.rows[text.lower()]]
    found = row_set.named(text)
    if not found:
        folded = fold(text)
        rows = sorted(row_set.rows.values(), key=lambda row: str(row["id"]))
        found = [row for row in rows if row["name"] and fold(row["name"]) == folded]
    return found


def find_row(owned: UserRows, resource: Resource, text: str) -> Row:
    """The one row with this id or name. Raises ChangeRefused, which names others."""
    found = rows_called(owned, resource, text)
    if len(found) == 1:
        return found[0]
    word = word_for(resource)
    if found:
        raise ChangeRefused(
            f"{len(found)} of the {resource.name} are called {text}: give one of the ids "
            + ", ".join(_candidate(owned, resource, row) for row in found)
        )
    names = [row["name"] for row in owned.row_set(resource).rows.values() if row["name"]]
    raise ChangeRefused(f"there is no {word} {text}{did_you_mean(text, names)}")


def _candidate(owned: UserRows, resource: Resource, row: Row) -> str:
    if resource is ACCOUNTS:
        about = str(row["currencyCode"])
    elif resource is CATEGORIES and row["parentId"] in owned.row_set(CATEGORIES).rows:
        about = f"in {owned.row_set(CATEGORIES).rows[row['parentId']]['name']}"
    else:
        about = f"of {date_text(row['createdAt'])}"
    return f"{row['id']} ({about})"

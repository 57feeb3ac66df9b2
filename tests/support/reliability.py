"""The rows of docs/reliability.md: what is promised, what shows it, and what makes it hold.

tests/reliability/ has the rows, and the figures that `--record-figures` of pytest and of
scripts/guards writes.
"""

import json
import tomllib
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

PROJECT = Path(__file__).parents[2]
PAGE = PROJECT / "docs" / "reliability.md"
_DATA = PROJECT / "tests" / "reliability"
_FIGURES = _DATA / "figures.json"
_BEGIN = "<!-- The tables begin: pytest tests/docs --update-examples writes them. -->\n"


@dataclass(frozen=True)
class Removal:
    """Takes a guard out: replaces ``old``, which ``file`` has once, with ``new``.

    tests: the row's tests that fail without the guard. seconds: how long to wait for tests that
    never end without it.
    """

    file: str
    old: str
    new: str
    tests: tuple[str, ...]
    seconds: int | None = None


@dataclass(frozen=True)
class Row:
    """tests: ids of tests as pytest takes them. nightly: those with large counts."""

    id: str
    title: str
    promise: str
    guard: str
    tests: tuple[str, ...]
    nightly: tuple[str, ...]
    #: How much the tests run, if they measure nothing.
    count: str
    removals: tuple[Removal, ...]


def read_rows(name: str) -> list[Row]:
    """name: faults or attacks"""
    return [_row(**row) for row in tomllib.loads((_DATA / f"{name}.toml").read_text())["row"]]


def _row(
    tests: list[str],
    removal: list[dict[str, Any]],
    nightly: Iterable[str] = (),
    count: str = "",
    **texts: str,
) -> Row:
    removals = tuple(
        Removal(**{**each, "tests": tuple(each.get("tests", tests))}) for each in removal
    )
    return Row(**texts, tests=tuple(tests), nightly=tuple(nightly), count=count, removals=removals)


def record_figures(new: Mapping[str, list[str]]) -> None:
    """new: id of a test or a row -> the figures that were measured today"""
    day = datetime.now(UTC).date().isoformat()
    figures = {**_figures(), **{test: {"day": day, "figures": new[test]} for test in new}}
    _FIGURES.write_text(json.dumps(figures, indent=1, sort_keys=True, ensure_ascii=False) + "\n")


def _figures() -> dict[str, dict]:
    return json.loads(_FIGURES.read_text())


def page() -> str:
    """Return the page as it should be: its introduction, and tables of the rows."""
    introduction, begin, _ = PAGE.read_text().partition(_BEGIN)
    assert begin
    tables = (f"## {name.capitalize()}\n\n{_table(read_rows(name))}" for name in _TABLES)
    return introduction + begin + "\n" + "\n".join(tables)


_TABLES = ("faults", "attacks")


def _table(rows: list[Row]) -> str:
    figures = _figures()
    day = max(figure["day"] for figure in figures.values())
    lines = [f"| | Promise | Guard | Tests | Latest figure ({day}) |", "|---|---|---|---|---|"]
    for row in rows:
        tests = tuple(dict.fromkeys((*row.tests, *row.nightly)))
        cells = (
            f"**{row.id}** {row.title}",
            row.promise,
            row.guard,
            "<br>".join(_link(test) for test in tests),
            "<br>".join(filter(None, (row.count, _latest(figures, (*tests, row.id), day)))),
        )
        lines.append(f"| {' | '.join(cells)} |")
    return "\n".join(lines) + "\n"


def _link(test: str) -> str:
    file, _, name = test.partition("::")
    return f"[`{name}`](../{file})"


def _latest(figures: Mapping[str, dict], tests: Iterable[str], newest: str) -> str:
    """Return the figures, each with its day if that is not the newest one."""
    return "<br>".join(
        "; ".join(figures[name]["figures"])
        + (f" ({figures[name]['day']})" if figures[name]["day"] != newest else "")
        for test in tests
        for name in sorted(figures)
        if name == test or name.startswith(f"{test}[")
    )

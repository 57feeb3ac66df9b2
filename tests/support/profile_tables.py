"""Tables of files and their expected import: ``tests/unit/importers/profiles/*.txt``.

A case begins with ``=== PROFILE: what it is`` (``-`` for no profile), and has parts that begin with
``---``: ``file``, with its encoding unless UTF-8 and the options as JSON; then ``gives``, the lines
that `outcome` must return. A case without a file uses the file of the case before. ``instead``
changes that file for this case only: it replaces lines marked ``- `` by lines marked ``+ ``. ``␍``
stands for a carriage return, and ``⏎`` for a line break in a record's text.
"""

import json
from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from finance_api.importers.interface import ImportRefused
from finance_api.values.number import decimal_text
from support.csv_files import answers, read, shown
from support.losses import documented, lost_columns

TABLES = Path(__file__).parents[1] / "unit" / "importers" / "profiles"


@dataclass(frozen=True)
class Case:
    """place: table and title. text: of the file. options: JSON, with `Mapping`'s names."""

    place: str
    profile: str
    text: str = ""
    encoding: str = "utf-8"
    options: str = "{}"
    gives: tuple[str, ...] = ()

    @property
    def data(self) -> bytes:
        return self.text.replace("␍", "\r").encode(self.encoding)


def cases() -> Iterator[Case]:
    for path in sorted(TABLES.glob("*.txt")):
        base = Case("", "")
        for part in f"\n{path.read_text('utf-8')}".split("\n=== ")[1:]:
            title, *blocks = f"{part.rstrip()}\n".split("\n--- ")
            place = f"{path.stem}: {title.splitlines()[0]}"
            case = base = replace(base, place=place, profile=title.partition(":")[0])
            for block in blocks:
                first, *lines = block.rstrip("\n").split("\n")
                kind, _, rest = first.partition(" ")
                encoding, brace, options = rest.partition("{")
                if kind == "file":
                    text = "\n".join(lines) + "\n"
                    base = replace(base, text=text, encoding=encoding.strip() or "utf-8")
                    case = base = replace(base, options=brace + options or "{}", gives=())
                elif kind == "instead":
                    case = replace(base, text=_changed(base.text, lines))
                    case = replace(case, options=brace + options or base.options)
                else:
                    case = replace(case, gives=tuple(lines or base.gives))
                    base = base if base.gives else case
                    yield case


def _changed(text: str, lines: list[str]) -> str:
    """Replace the text of the lines marked "- " by the text of the lines marked "+ "."""
    while lines:
        old, new = [], []
        while lines and lines[0].startswith("- "):
            old.append(lines.pop(0)[2:])
        while lines and lines[0].startswith("+ "):
            new.append(lines.pop(0)[2:])
        assert "\n".join(old) in text, old
        text = text.replace("\n".join(old), "\n".join(new), 1)
    return text


def outcome(case: Case) -> tuple[str, list[str]]:
    """Return the profile that reads the file ("-" for none), and lines about the result."""
    options: dict[str, Any] = json.loads(case.options)
    try:
        statements = read(case.data, **options)
    except ImportRefused as refused:
        place = f"line {refused.line}: " if refused.line else ""
        offered = [f"offered: {answer}" for answer in answers(refused)[:1]]
        return case.profile, [f"refused: {place}{refused.reason}", *offered]
    first = statements[0].statement
    if first.profile is not None:
        assert lost_columns(case.data, first.profile, statements) <= documented()[first.profile]
    lines = []
    for found in statements:
        account, statement = found.account, found.statement
        balances = {"opening": statement.opening, "closing": statement.closing}
        facts = [account.currency or "-", *([f"number={account.number}"] if account.number else [])]
        facts += [f"{n}={decimal_text(b.amount)}" for n, b in balances.items() if b is not None]
        if statement.initial is not None:
            facts.append(f"initial={decimal_text(statement.initial)}")
        lines.append(f"[{account.name}] {' '.join(facts)}")
        lines += (shown(entry).replace("\n", "⏎") for entry in found.entries)
    left_out = ", ".join(f"{what!r} {count}" for what, count in first.skipped.items())
    return first.profile or "-", lines + ([f"left out: {left_out}"] if left_out else [])

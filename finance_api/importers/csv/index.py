"""Profiles, this package's and the operator's own; finds them by their headings.

``python -m finance_api.importers.csv.index`` writes the index of this package's profiles.
"""

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import cache
from pathlib import Path
from typing import Any

from finance_api.importers.clauses import Says, Topic, clause
from finance_api.importers.csv.headings import Headings
from finance_api.importers.csv.profile import FEWEST_COLUMNS, HeadingRow, Match, Profile
from finance_api.importers.csv.profile_file import read_profile
from finance_api.importers.interface import Choice, ImportRefused

SHIPPED = Path(__file__).with_name("profiles")
INDEX = SHIPPED / "index.json"


class Profiles:
    """All profiles, sorted by name. This package's own profiles are parsed only when requested."""

    def __init__(
        self, own: Iterable[Profile], shipped: Mapping[str, Mapping[str, Any]] | None = None
    ) -> None:
        """own: profiles that replace shipped ones of the same name. shipped: the shipped index."""
        self._parsed = {profile.name: profile for profile in own}
        index = {**(shipped or {}), **index_of(self._parsed.values())}
        self._index = {name: index[name] for name in sorted(index)}
        self.names = list(self._index)

    def __iter__(self) -> Iterator[Profile]:
        return map(self.get, self.names)

    @property
    def encodings(self) -> list[str]:
        """The encodings that profiles name; a profile without one reads UTF-8."""
        return sorted({entry["encoding"] for entry in self._index.values()} - {None})

    def get(self, name: str) -> Profile:
        """Return the profile with this name. Raises ImportRefused if the name is unknown."""
        key = name.strip().lower()
        if key not in self._index:
            raise ImportRefused(clause(Topic.NO_PROFILE, profile=name))
        if key not in self._parsed:
            self._parsed[key] = read_profile(SHIPPED / f"{key}.toml")
        return self._parsed[key]

    def recognise(self, headings: Headings) -> Match | None:
        """Find the profile with this heading row. Raises ImportRefused if several have it."""
        texts = headings.folded
        if sum(map(bool, texts)) < FEWEST_COLUMNS:
            return None
        selected = [name for name, entry in self._index.items() if _selects(entry, texts)]
        matches = (self.get(name).match(headings) for name in selected)
        found = [match for match in matches if match is not None]
        if len(found) > 1:
            names = tuple(match.profile.name for match in found)
            of = (Choice({"profile": n}, clause(Says.FILE_OF, profile=n)) for n in names)
            raise ImportRefused(clause(Topic.PROFILES, profiles=names), choices=tuple(of))
        return found[0] if found else None


def _selects(entry: Mapping[str, Any], headings: Sequence[str]) -> bool:
    """Return whether a profile's entry in the index has these folded headings."""
    rows = (HeadingRow(tuple(row), ()) for row in entry["rows"])
    return any(row.match(headings, entry["begins"]) is not None for row in rows)


def load_profiles(directory: str = "") -> Profiles:
    """Load our profiles, and the profiles in ``directory``, which replace ours of the same name.

    Raises ImportRefused.
    """
    if not directory:
        return _shipped()
    if not Path(directory).is_dir():
        setting = "finance_api.imports.profiles_directory"
        raise ImportRefused(f"{setting}: {directory} is not a directory")
    return Profiles(map(read_profile, sorted(Path(directory).glob("*.toml"))), _shipped_index())


@cache
def _shipped() -> Profiles:
    return Profiles((), _shipped_index())


@cache
def _shipped_index() -> dict[str, dict[str, Any]]:
    index: dict[str, dict[str, Any]] = json.loads(INDEX.read_text("utf-8"))
    return index


def index_of(profiles: Iterable[Profile]) -> dict[str, dict[str, Any]]:
    """Return the name of each profile -> its entry in the index.

    rows: the heading rows that select the profile; empty if only its name selects it.
    begins: see `Profile`. encoding: the encoding of the profile's files; None for UTF-8.
    """
    return {
        profile.name: {
            "rows": [] if profile.by_name_only else [row.texts for row in profile.headings],
            "begins": profile.begins,
            "encoding": profile.mapping.encoding,
        }
        for profile in profiles
    }


def index_text() -> str:
    """Return the text of the index file: one line for each profile."""
    index = index_of(map(read_profile, sorted(SHIPPED.glob("*.toml"))))
    lines = (f"{json.dumps(n)}: {json.dumps(e, ensure_ascii=False)}" for n, e in index.items())
    return "{\n" + ",\n".join(lines) + "\n}\n"


if __name__ == "__main__":
    INDEX.write_text(index_text(), "utf-8")

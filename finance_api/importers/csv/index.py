"""The profiles that there are, by their headings: those of this package, and the operator's own.

``python -m finance_api.importers.csv.index`` writes the index of this package's profiles.
"""

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import cache
from pathlib import Path
from typing import Any

from finance_api.importers.csv.profile import (
    FEWEST_COLUMNS,
    HeadingRow,
    Match,
    Profile,
    folded_row,
    trim,
)
from finance_api.importers.csv.profile_reading import read_profile
from finance_api.importers.interface import Answer, ImportRefused
from finance_api.importers.texts import listed, quoted

SHIPPED = Path(__file__).with_name("profiles")
INDEX = SHIPPED / "index.json"


def index_of(profiles: Iterable[Profile]) -> dict[str, dict[str, Any]]:
    """List the heading rows that select each profile, none if it is read by name only.

    encoding: of its files, where they are not UTF-8.
    """
    return {
        profile.name: {
            "rows": [] if profile.by_name_only else [row.texts for row in profile.headings],
            "begins": profile.begins,
            "encoding": profile.layout.encoding,
        }
        for profile in profiles
    }


class Profiles:
    """In the order of their names. A profile of this package is parsed when it is asked for."""

    def __init__(
        self, own: Iterable[Profile], shipped: Mapping[str, Mapping[str, Any]] | None = None
    ) -> None:
        """own: of two with one name the later counts. shipped: the index of the others."""
        self._parsed = {profile.name: profile for profile in own}
        index = {**(shipped or {}), **index_of(self._parsed.values())}
        self._index = {name: index[name] for name in sorted(index)}
        self.names = list(self._index)

    def __iter__(self) -> Iterator[Profile]:
        return map(self.get, self.names)

    @property
    def encodings(self) -> list[str]:
        """The encodings of files that are not UTF-8."""
        return sorted({entry["encoding"] for entry in self._index.values()} - {None})

    def get(self, name: str) -> Profile:
        """Raises ImportRefused."""
        key = name.strip().lower()
        if key not in self._index:
            raise ImportRefused(
                f"there is no profile {quoted(name)}; 'finance-api profiles' lists them"
            )
        if key not in self._parsed:
            self._parsed[key] = read_profile(SHIPPED / f"{key}.toml")
        return self._parsed[key]

    def recognise(self, headings: Sequence[str]) -> Match | None:
        """Find the profile with this heading row; ImportRefused if there is more than one."""
        texts = trim(folded_row(tuple(headings)))
        if sum(map(bool, texts)) < FEWEST_COLUMNS:
            return None
        found = [
            match
            for name, entry in self._index.items()
            if any(
                HeadingRow(tuple(row), ()).match(texts, entry["begins"]) is not None
                for row in entry["rows"]
            )
            and (match := self.get(name).match(headings)) is not None
        ]
        if len(found) > 1:
            names = [match.profile.name for match in found]
            raise ImportRefused(
                f"the headings are those of the profiles {listed(names)}: name one with --profile",
                answers=tuple(
                    Answer(("--profile", name), meaning=f"the file is of {name}") for name in names
                ),
            )
        return found[0] if found else None


def load_profiles(directory: str = "") -> Profiles:
    """directory: of the operator's own, which replace those of the same names. ImportRefused."""
    if not directory:
        return _shipped()
    if not Path(directory).is_dir():
        raise ImportRefused(f"finance_api.imports.profiles_directory: {directory} is no directory")
    return Profiles(map(read_profile, sorted(Path(directory).glob("*.toml"))), _shipped_index())


@cache
def _shipped() -> Profiles:
    return Profiles((), _shipped_index())


@cache
def _shipped_index() -> dict[str, dict[str, Any]]:
    index: dict[str, dict[str, Any]] = json.loads(INDEX.read_text("utf-8"))
    return index


def index_text() -> str:
    """The index as its file has it: a line for each profile."""
    index = index_of(map(read_profile, sorted(SHIPPED.glob("*.toml"))))
    lines = (f"{json.dumps(n)}: {json.dumps(e, ensure_ascii=False)}" for n, e in index.items())
    return "{\n" + ",\n".join(lines) + "\n}\n"


if __name__ == "__main__":
    INDEX.write_text(index_text(), "utf-8")

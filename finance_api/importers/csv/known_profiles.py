"""The profiles that there are: those of this package, and the operator's own."""

import re
from collections.abc import Iterable, Iterator, Sequence
from functools import cache
from pathlib import Path

from finance_api.importers.csv.profile import FEWEST_COLUMNS, Match, Profile
from finance_api.importers.csv.profile_reading import read_profile
from finance_api.importers.csv.vocabulary import folded
from finance_api.importers.interface import Answer, ImportRefused
from finance_api.importers.marks import CODES
from finance_api.importers.texts import listed, quoted

_SHIPPED = Path(__file__).with_name("profiles")
_ENCODING = re.compile(r'^encoding = "(.+)"', re.MULTILINE)


class _Source:
    """A profile, or its file: the text tells whether it is worth parsing."""

    def __init__(self, source: Profile | Path) -> None:
        self._source = source
        self._words: str | None = None

    @property
    def name(self) -> str:
        return self._source.stem if isinstance(self._source, Path) else self._source.name

    @property
    def profile(self) -> Profile:
        """Raises ImportRefused."""
        if isinstance(self._source, Path):
            self._source = read_profile(self._source)
        return self._source

    @property
    def encodings(self) -> list[str]:
        return _ENCODING.findall(self._text())

    def may_have(self, headings: Sequence[str]) -> bool:
        """Whether these folded headings stand in it: all, or the first of a longer row."""
        if self._words is None:
            self._words = folded(self._text())
        count = FEWEST_COLUMNS - 1 if "\nbegins = true" in self._words else None
        return all(heading in self._words for heading in headings[:count])

    def _text(self) -> str:
        source = self._source
        return source.read_text("utf-8") if isinstance(source, Path) else source.text


class Profiles:
    """In the order of their names; of two with one name the later counts. A file is parsed when
    its profile is asked for, or when the headings of a file stand in it.
    """

    def __init__(self, profiles: Iterable[Profile | Path]) -> None:
        named = {source.name: source for source in map(_Source, profiles)}
        self._sources = {name: named[name] for name in sorted(named)}

    def __iter__(self) -> Iterator[Profile]:
        return (source.profile for source in self._sources.values())

    @property
    def encodings(self) -> list[str]:
        """Those that their files have where they are not UTF-8."""
        return sorted({name for source in self._sources.values() for name in source.encodings})

    def get(self, name: str) -> Profile:
        """Raises ImportRefused."""
        source = self._sources.get(name.strip().lower())
        if source is None:
            raise ImportRefused(
                f"there is no profile {quoted(name)}; 'finance-api profiles' lists them"
            )
        return source.profile

    def recognise(self, headings: Sequence[str]) -> Match | None:
        """What the heading row alone selects; ImportRefused if that is more than one."""
        texts = [text for heading in headings if (text := folded(heading.strip()))]
        if len(texts) < FEWEST_COLUMNS:
            return None
        # A currency in a heading, and what TOML or CSV escape, stands otherwise in the file.
        plain = [text for text in texts if _is_plain(text)]
        found = [
            match
            for source in self._sources.values()
            if source.may_have(plain)
            and not source.profile.by_name_only
            and (match := source.profile.match(headings)) is not None
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


def _is_plain(heading: str) -> bool:
    codes = (word for word in re.findall(r"\w+", heading) if word.upper() in CODES)
    return not any(codes) and not any(c in '"\\' or not c.isprintable() for c in heading)


def load_profiles(directory: str = "") -> Profiles:
    """directory: of the operator's own, which replace those of the same names. ImportRefused."""
    if not directory:
        return _shipped()
    if not Path(directory).is_dir():
        raise ImportRefused(f"finance_api.imports.profiles_directory: {directory} is no directory")
    own = sorted(Path(directory).glob("*.toml"))
    for path in own:
        read_profile(path)
    return Profiles((*sorted(_SHIPPED.glob("*.toml")), *own))


@cache
def _shipped() -> Profiles:
    return Profiles(sorted(_SHIPPED.glob("*.toml")))

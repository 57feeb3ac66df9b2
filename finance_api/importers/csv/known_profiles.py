"""The profiles that there are: those of this package, and the operator's own."""

from collections.abc import Iterable, Iterator, Sequence
from functools import cache
from pathlib import Path

from finance_api.importers.csv.profile import FEWEST_COLUMNS, Match, Profile
from finance_api.importers.csv.profile_reading import read_profile
from finance_api.importers.interface import Answer, ImportRefused
from finance_api.importers.texts import listed, quoted

_SHIPPED = Path(__file__).with_name("profiles")


class Profiles:
    """In the order of their names; of two with one name the later counts."""

    def __init__(self, profiles: Iterable[Profile]) -> None:
        named = {profile.name: profile for profile in profiles}
        self._profiles = {name: named[name] for name in sorted(named)}

    def __iter__(self) -> Iterator[Profile]:
        return iter(self._profiles.values())

    @property
    def encodings(self) -> list[str]:
        """Those that their files have where they are not UTF-8."""
        return sorted({p.options["encoding"] for p in self if "encoding" in p.options})

    def get(self, name: str) -> Profile:
        """Raises ImportRefused."""
        profile = self._profiles.get(name.strip().lower())
        if profile is None:
            raise ImportRefused(
                f"there is no profile {quoted(name)}; 'finance-api profiles' lists them"
            )
        return profile

    def recognise(self, headings: Sequence[str]) -> Match | None:
        """What the heading row alone selects; ImportRefused if that is more than one."""
        if sum(bool(heading.strip()) for heading in headings) < FEWEST_COLUMNS:
            return None
        found = [
            match
            for profile in self
            if not profile.by_name_only and (match := profile.match(headings)) is not None
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
    return Profiles((*_shipped(), *_read(Path(directory))))


@cache
def _shipped() -> Profiles:
    return Profiles(_read(_SHIPPED))


def _read(directory: Path) -> list[Profile]:
    return [read_profile(path) for path in sorted(directory.glob("*.toml"))]

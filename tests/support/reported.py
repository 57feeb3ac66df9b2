"""Files that people reported as misread. They are not part of this repository."""

import json
import os
from dataclasses import dataclass
from pathlib import Path
from typing import Any

_BESIDE = Path(__file__).parents[3] / "shared" / "cases"
CASES = Path(os.environ.get("FINANCE_TEST_CASES", _BESIDE))


@dataclass(frozen=True)
class Case:
    """Files, the options each is imported with, and the accounts that are right."""

    name: str
    files: tuple[tuple[Path, tuple[str, ...]], ...]
    #: All right readings: each a list of accounts with `currency`, `balance` and `records`.
    readings: tuple[list[dict[str, Any]], ...]
    compares_text: bool


def cases() -> list[Case]:
    return [_case(path) for path in sorted(CASES.glob("*/truth.json"))]


def _case(path: Path) -> Case:
    truth = json.loads(path.read_text())
    files = [*truth["steps"], *truth["files"]]
    return Case(
        path.parent.name,
        tuple((path.parent / each["file"], tuple(each["options"])) for each in files),
        (truth["accounts"], *(each.get("accounts", each) for each in truth["also"])),
        truth["text"],
    )

"""Reads pages of the docs, their sections and tables."""

import re
from functools import cache
from pathlib import Path

import finance_api

PACKAGE = Path(finance_api.__file__).parent
PROJECT = PACKAGE.parent
DOCS = PROJECT / "docs"
PAGES = (PROJECT / "README.md", *sorted(DOCS.rglob("*.md")))
INI_FILES = ("development.ini", "production.ini")

BLOCK = re.compile(r"^```([a-z]*)\n(.*?)^```$", re.MULTILINE | re.DOTALL)
SPAN = re.compile(r"`([^`\n]+)`")


@cache
def page(name: str) -> str:
    return (DOCS / name).read_text(encoding="utf-8")


def spans(text: str) -> list[str]:
    """Return the texts in single backticks outside of code blocks."""
    return SPAN.findall(BLOCK.sub("", text))


def section(text: str, heading: str) -> str:
    """Return the text below a heading, up to the next heading of the same or a higher level."""
    lines = text.splitlines()
    start = next(i for i, line in enumerate(lines) if re.fullmatch(rf"#+ {heading}", line))
    level = len(lines[start]) - len(lines[start].lstrip("#"))
    rest = lines[start + 1 :]
    end = next((i for i, x in enumerate(rest) if re.match(rf"#{{1,{level}}} ", x)), len(rest))
    return "\n".join(rest[:end])


def rows(text: str) -> list[list[str]]:
    """Return the cells of all tables, without headings."""
    found = []
    for table in re.findall(r"(?:^\|.*\|$\n?)+", text, re.MULTILINE):
        for line in table.splitlines()[2:]:
            cells = re.split(r"(?<!\\)\|", line.strip()[1:-1])
            found.append([cell.strip() for cell in cells])
    return found


def rows_of(text: str, heading: str) -> list[list[str]]:
    """Return the rows of the only table whose first column has this heading."""
    (found,) = re.findall(rf"^\| {heading} \|.*\n(?:\|.*\n?)+", text, re.MULTILINE)
    return rows(found)


def page_ids(path: Path) -> str:
    return path.name

"""The docs and the code agree on settings and errors; also checks the docs' words and links.

The tests read both and have no lists of their own, as in Datasette's tests/test_docs.py.
"""

import ast
import configparser
import importlib
import re
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import pytest

from finance_api.auth.jwt_keys import key_entries
from finance_api.runtime.metrics import TOTALS, Metrics
from finance_api.settings import SERVER_SETTINGS, SETTINGS
from support.pages import (
    BLOCK,
    DOCS,
    INI_FILES,
    PACKAGE,
    PAGES,
    PROJECT,
    SPAN,
    page,
    page_ids,
    rows,
    rows_of,
    section,
    spans,
)
from support.sources import nodes, sources

# -- settings


def _documented(heading: str) -> dict[str, str]:
    """Return the settings in a list of the page, with their defaults."""
    found = re.findall(
        r"^- `([\w.]+)`(?: \(`(.*)`\))?: ", section(page("settings.md"), heading), re.MULTILINE
    )
    return dict(found)


def test_every_setting_is_documented_with_its_default_and_nothing_else_is() -> None:
    assert _documented("The application") == {s.name: s.default for s in SETTINGS}


def test_every_key_of_the_server_is_documented_with_its_default() -> None:
    keys = {s.name.removeprefix("server."): s.default for s in SERVER_SETTINGS}
    assert _documented("The server") == keys


def test_the_docs_name_every_key_of_development_ini() -> None:
    keys = dict(_commented_keys("development.ini", "server:main"))
    assert keys and set(keys) <= set(spans(section(page("settings.md"), "The server")))


def _commented_keys(name: str, heading: str) -> Iterator[tuple[str, bool]]:
    """Yield the keys of a section, and whether each has a comment above it in its paragraph."""
    inside = commented = False
    for line in (PROJECT / name).read_text(encoding="utf-8").splitlines():
        if line.startswith("["):
            inside, commented = line == f"[{heading}]", False
        elif not line.strip():
            commented = False
        elif line.startswith("#"):
            commented = True
        elif inside and "=" in line and not line.startswith("use "):
            yield line.partition("=")[0].removeprefix("get ").strip(), commented


@pytest.mark.parametrize("name", INI_FILES)
def test_an_ini_file_names_every_setting_with_a_comment(name: str) -> None:
    application = dict(_commented_keys(name, "app:main"))
    server = dict(_commented_keys(name, "server:main"))
    assert set(application) == {setting.name for setting in SETTINGS}
    assert all(application.values()), application
    assert server and all(server.values()), server


def test_the_ini_file_for_production_names_every_key_of_the_server() -> None:
    keys = {f"server.{key}" for key, _ in _commented_keys("production.ini", "server:main")}
    assert keys == {setting.name for setting in SERVER_SETTINGS}


@pytest.mark.parametrize("name", INI_FILES)
def test_the_docs_name_the_ini_file_and_it_can_be_read(name: str) -> None:
    configparser.ConfigParser(interpolation=None).read_string((PROJECT / name).read_text("utf-8"))
    assert f"`{name}`" in page("settings.md")


_OTHER_VARIABLES = {
    node.value
    for path in PACKAGE.rglob("*.py")
    if "FINANCE_API_" in (source := path.read_text(encoding="utf-8"))
    for node in ast.walk(ast.parse(source))
    if isinstance(node, ast.Constant)
    and isinstance(node.value, str)
    and re.fullmatch("FINANCE_API_[A-Z0-9_]*[A-Z0-9]", node.value)
}


@pytest.mark.parametrize("variable", sorted(_OTHER_VARIABLES))
def test_a_variable_of_the_code_is_documented(variable: str) -> None:
    assert any(variable in path.read_text(encoding="utf-8") for path in PAGES)


@pytest.mark.parametrize("path", PAGES, ids=page_ids)
def test_every_variable_in_the_docs_exists(path: Path) -> None:
    named = set(re.findall("FINANCE_API_[A-Z0-9_]+", path.read_text(encoding="utf-8")))
    settings = (*SETTINGS, *SERVER_SETTINGS)
    known = {setting.variable for setting in settings}
    known |= {setting.file_variable for setting in settings if setting.secret}
    assert named <= known | _OTHER_VARIABLES


def _can_be_imported(name: str) -> bool:
    module, _, attribute = name.rpartition(".")
    try:
        return bool(importlib.import_module(name))
    except ImportError:
        return bool(module) and hasattr(importlib.import_module(module), attribute)


@pytest.mark.parametrize("path", PAGES, ids=page_ids)
def test_every_dotted_name_in_the_docs_is_a_setting_or_can_be_imported(path: Path) -> None:
    names = {setting.name for setting in SETTINGS} | {"finance_api.access"}
    text = re.sub(r"https?://\S+", "", path.read_text(encoding="utf-8"))
    others = {*re.findall(r"\b(?:finance_api|sqlalchemy)(?:\.\w+)+", text)} - names
    assert [name for name in others if not _can_be_imported(name)] == []


@pytest.mark.parametrize("path", PAGES, ids=page_ids)
def test_every_file_of_the_project_in_the_docs_exists(path: Path) -> None:
    named = [
        s for s in spans(path.read_text(encoding="utf-8")) if re.match("(finance_api|tests)/", s)
    ]
    assert [name for name in named if not (PROJECT / name).exists()] == []


def test_the_architecture_names_every_folder_of_tests() -> None:
    folders = {f"tests/{p.name}" for p in (PROJECT / "tests").iterdir() if p.is_dir()}
    named = {s for row in rows_of(page("architecture.md"), "Tests") for s in SPAN.findall(row[0])}
    assert folders - {"tests/__pycache__"} == named


def test_the_example_of_a_key_file_has_exactly_the_members_of_the_table() -> None:
    text = section(page("settings.md"), "The key file")
    (example,) = (body for language, body in BLOCK.findall(text) if language == "json")
    members = {name for entry in key_entries(example) for name in entry}
    assert members == {s for row in rows_of(text, "Member") for s in SPAN.findall(row[0])}


def test_every_metric_has_a_row_and_nothing_else_has() -> None:
    counted = re.findall(
        "^# TYPE ([a-z_]+) ", Metrics().text(dict.fromkeys(TOTALS, 1)).decode(), re.MULTILINE
    )
    documented = rows_of(section(page("settings.md"), "Metrics"), "Metric")
    assert [row[0] for row in documented] == [f"`{name}`" for name in counted]


# -- errors


@cache
def _statuses() -> set[int]:
    """Return the statuses from 400 on that the source passes to `problem` and similar functions."""
    found: set[int] = set()
    for tree in sources().values():
        for node in nodes(tree):
            constants: list[ast.expr | None] = []
            if isinstance(node, ast.Call) and isinstance(node.func, ast.Name):
                if node.func.id in ("problem", "problem_body"):
                    constants += node.args[:1]
            elif isinstance(node, ast.Assign) and isinstance(node.value, ast.Dict):
                targets = [t.id for t in node.targets if isinstance(t, ast.Name)]
                constants += node.value.keys if targets == ["_DETAILS"] else []
            found |= {
                c.value
                for c in constants
                if isinstance(c, ast.Constant) and isinstance(c.value, int) and c.value >= 400
            }
    return found


def test_every_error_has_a_section_and_nothing_else_has() -> None:
    headings = re.findall("^## ([0-9]{3}) ", page("errors.md"), re.MULTILINE)
    assert [int(number) for number in headings] == sorted(_statuses())


def test_every_error_is_among_those_to_try_again_or_not() -> None:
    first = " ".join(row[0] for row in rows(page("errors.md").split("\n## ")[0]))
    assert {int(n) for n in re.findall("[0-9]{3}", first)} == _statuses()


# -- links


def _anchors(text: str) -> set[str]:
    """Return the anchors of the headings, as GitHub makes them."""
    headings = re.findall("^#+ (.+)$", BLOCK.sub("", text), re.MULTILINE)
    return {re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-") for heading in headings}


@pytest.mark.parametrize("path", PAGES, ids=page_ids)
def test_relative_links_lead_somewhere(path: Path) -> None:
    text = path.read_text(encoding="utf-8")
    for target in re.findall(r"\]\(([^)\s]+)\)", BLOCK.sub("", text)):
        if re.match("[a-z]+:", target):
            continue
        file, _, anchor = target.partition("#")
        found = path.parent / file if file else path
        assert found.exists(), target
        if anchor:
            assert anchor in _anchors(found.read_text(encoding="utf-8")), target


def test_every_page_is_linked_from_another() -> None:
    linked = {
        (path.parent / target.partition("#")[0]).resolve()
        for path in PAGES
        for target in re.findall(r"\]\(([^)\s:]+)\)", path.read_text(encoding="utf-8"))
        if target.partition("#")[0] not in ("", path.name)
    }
    assert {path.resolve() for path in DOCS.rglob("*.md")} <= linked


def _log_lines() -> set[str]:
    """Return the longest constant part of every log message of level warning and above."""
    return {
        max((part.strip(" :;,") for part in re.split("%[sd]", node.args[0].value)), key=len)
        for tree in sources().values()
        for node in nodes(tree)
        if isinstance(node, ast.Call)
        and isinstance(node.func, ast.Attribute)
        and node.func.attr in ("warning", "error", "exception", "critical")
        and isinstance(node.func.value, ast.Name)
        and node.func.value.id == "logger"
        and isinstance(node.args[0], ast.Constant)
        and isinstance(node.args[0].value, str)
    }


def test_every_warning_and_error_of_the_log_is_in_the_runbook() -> None:
    lines = _log_lines()
    assert len(lines) > 10
    text = page("runbook.md")
    assert not [line for line in lines if line not in text]


def test_the_threads_in_the_docs_leave_one_free_and_make_granian_say_nothing() -> None:
    table = [
        row for row in rows(section(page("deploying.md"), "The service")) if row[0][0].isdigit()
    ]
    assert len(table) == 4
    for cores, threads, requests, downloads in table:
        # granian warns if there are more.
        assert int(threads) <= 2 * int(cores.split()[0]) + 1
        assert int(threads) > int(requests) + int(downloads)

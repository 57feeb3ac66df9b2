"""The docs and the code agree on commands and files.

The tests read both and have no lists of their own, as in Datasette's tests/test_docs.py.
"""

import ast
import dataclasses
import re
from collections.abc import Iterator
from pathlib import Path

import click
import pytest

from finance_api.cli.main import command as finance_api_command
from finance_api.importers.csv import Mapping
from finance_api.importers.csv.mapping import FIELDS as CSV_FIELDS
from finance_api.importers.formats import FORMAT_NAMES
from finance_api.importers.native import MAX_LIST_ELEMENTS
from finance_api.resources import RESOURCES, SPLITS
from finance_api.resources.field import Resource
from support.command import all_commands, subcommands
from support.pages import BLOCK, PAGES, SPAN, page, page_ids, rows, section, spans
from support.sources import nodes, sources

COMMANDS = all_commands()


def _options(command: click.Command) -> set[str]:
    return {
        name
        for parameter in command.params
        if isinstance(parameter, click.Option)
        for name in (*parameter.opts, *parameter.secondary_opts)
    }


_OF_ALL = _options(finance_api_command) | {"-h", "--help"}
#: Options of pip and hledger.
_OF_OTHERS = {"--upgrade", "--types", "--real", "--flat", "--forecast", "--auto"}


_OPTION = re.compile(r"(?:^|(?<=\s))(--[a-z][a-z-]+|-[a-z](?=\s|$))")


def _named_options(text: str) -> set[str]:
    """Return the options at the beginning of spans, and others in the same spans."""
    return {
        option for span in spans(text) if _OPTION.match(span) for option in _OPTION.findall(span)
    }


def test_the_common_options_are_documented() -> None:
    before_commands = page("commands.md").split("\n## ")[0]
    assert _options(finance_api_command) <= _named_options(before_commands)


def test_the_list_of_commands_has_each_command_once() -> None:
    named = spans(section(page("commands.md"), "All commands"))
    calls = [name for name in named if tuple(name.split()) in COMMANDS]
    assert sorted(calls) == sorted(" ".join(names) for names in COMMANDS)


@pytest.mark.parametrize("names", COMMANDS, ids=" ".join)
def test_the_help_of_a_command_explains_each_of_its_options(names: tuple[str, ...]) -> None:
    options = [p for p in COMMANDS[names].params if isinstance(p, click.Option)]
    assert [option.name for option in options if not option.help] == []


@pytest.mark.parametrize("path", PAGES, ids=page_ids)
def test_every_option_in_the_docs_exists(path: Path) -> None:
    known = _OF_ALL.union(*map(_options, COMMANDS.values()))
    assert _named_options(path.read_text(encoding="utf-8")) <= known | _OF_OTHERS


def _invocations(text: str) -> Iterator[list[str]]:
    """The words of every ``finance-api`` call in code blocks and spans."""
    blocks = [body for language, body in BLOCK.findall(text) if language in ("sh", "")]
    for code in (*blocks, *spans(text)):
        for line in re.sub(r"\\\n", " ", code).splitlines():
            for part in re.split(r"[|;&]|\$\(|<|>", line):
                words = part.strip().split()
                if words[:1] == ["finance-api"]:
                    yield [word.strip("\"')") for word in words[1:]]


def _check_invocation(words: list[str]) -> None:
    found: click.Command = finance_api_command
    allowed = set(_OF_ALL)
    waiting = iter(words)
    for word in waiting:
        if word.startswith("-") and not re.fullmatch("-[0-9.]*", word):
            assert word.partition("=")[0] in allowed, f"{' '.join(words)}: {word}"
            if found is finance_api_command:
                next(waiting)
        elif isinstance(found, click.Group):
            below = subcommands(found)
            if "@" in word and word not in below:
                word = "list"
            assert word in below, f"{' '.join(words)}: {word}"
            found = below[word]
            allowed = _options(found) | {"-h", "--help"}


@pytest.mark.parametrize("path", PAGES, ids=page_ids)
def test_every_call_of_a_command_in_the_docs_is_understood(path: Path) -> None:
    for words in _invocations(path.read_text(encoding="utf-8")):
        _check_invocation(words)


#: Packages whose messages name commands and their options.
SPEAKING = {"cli", "importers", "ledger", "planning", "storage", "uploads"}


def _messages() -> Iterator[str]:
    """Yield the texts in the code, with … for the values that are filled in."""
    for tree in (tree for name, tree in sources().items() if SPEAKING & {*name.split(".")[1:2]}):
        for node in nodes(tree):
            if isinstance(node, ast.JoinedStr):
                parts = (getattr(part, "value", None) for part in node.values)
                yield "".join(part if isinstance(part, str) else "…" for part in parts)
            elif isinstance(node, ast.Constant) and isinstance(node.value, str):
                yield node.value


def test_every_command_and_option_in_a_message_exists() -> None:
    known = _OF_ALL.union(*map(_options, COMMANDS.values()))
    known |= _OF_OTHERS
    calls = 0
    for text in _messages():
        for call in re.findall(r"(?<!\w)'finance-api ([^'…]+)(?:'|…)", text):
            _check_invocation(call.split())
            calls += 1
        named = re.findall(r"(?<![\w<!-])--[a-z][a-z-]+\b(?!-)", text)
        assert " " not in text or set(named) <= known, text
    assert calls > 5


def test_calls_are_found() -> None:
    assert len(list(_invocations(page("importing.md")))) > 10


@pytest.mark.parametrize("option", sorted(_options(COMMANDS["import",])))
def test_an_option_for_files_is_explained(option: str) -> None:
    pages = [path for path in PAGES if "importing" in (path.stem, path.parent.name)]
    assert any(option in _named_options(path.read_text(encoding="utf-8")) for path in pages)


def test_the_options_of_csv_stand_in_their_list() -> None:
    """Each field of Mapping has one line or more, under the name of its option."""
    of_import = {
        p.name: p.opts[0] for p in COMMANDS["import",].params if isinstance(p, click.Option)
    }
    expected = {
        of_import.get(field.name) or of_import[f"no_{field.name}"]
        for field in dataclasses.fields(Mapping)
    }
    assert _named_options(section(page("importing.md"), "Options")) == expected


@pytest.mark.parametrize("field", CSV_FIELDS)
def test_a_field_of_csv_has_a_line_with_its_headings(field: str) -> None:
    lines = section(page("importing.md"), "Fields").splitlines()
    (line,) = [each for each in lines if each.startswith(f"- `{field}`")]
    assert SPAN.findall(line.partition(":")[0]) == [field, *CSV_FIELDS[field]]


@pytest.mark.parametrize("format_name", FORMAT_NAMES)
def test_a_format_has_a_row(format_name: str) -> None:
    first = [row[0] for row in rows(page("importing.md"))]
    linked = {cell.partition("]")[0].removeprefix("[") for cell in first}
    assert format_name in linked, "importing.md needs a row with a link to its page or section"


@pytest.mark.parametrize("resource", RESOURCES, ids=lambda r: r.name)
def test_a_type_of_the_native_format_has_a_row_with_what_it_needs(resource: Resource) -> None:
    table = rows(section(page("importing.md"), "The native format"))
    row = next(r for r in table if f"`{resource.model_type}`" in r[0])
    assert SPAN.findall(row[2]) == [f.name for f in resource.native_fields if f.required]
    if resource.path is None and resource is not SPLITS:
        assert SPAN.findall(row[1]) == [f.name for f in resource.fields]


def test_limits_of_imports_are_those_of_the_code() -> None:
    assert f"{MAX_LIST_ELEMENTS:,} elements" in section(page("importing.md"), "Limits")

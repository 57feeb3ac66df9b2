"""The questions about files in another language: a second table of sentences, and nothing else."""

import ast
import re
from pathlib import Path
from string import Formatter

import pytest

import finance_api
from finance_api.importers.answers import effect_from_json
from finance_api.importers.clauses import Says, Topic
from finance_api.importers.options import FILE_OPTIONS
from finance_api.storage.memory import MemoryBackend
from finance_api.values.regions import region_of
from finance_api.web.import_texts import PageWriter
from finance_api.web.option_labels import CHOICES, COLUMNS
from finance_api.wording import PHRASES, Writer
from support.answering import ask, given_beside, person_with
from support.german import SENTENCES, German
from support.ledger import Person
from support.left_open import FILES, HEAD, POINTS, STORED, make

PACKAGE = Path(finance_api.__file__).parent


def names_in(sentence):
    return {name for _, name, _, _ in Formatter().parse(sentence) if name}


def test_every_topic_choice_and_phrase_has_a_sentence():
    assert SENTENCES.keys() == {*Topic, *Says, *PHRASES}


@pytest.mark.parametrize("name", SENTENCES)
def test_a_sentence_names_the_same_facts(name):
    assert names_in(SENTENCES[name]) == names_in(Writer.sentences[name])


def questions():
    """Yield the questions of many files, as JSON."""
    for point in POINTS:
        yield from ask(Person(MemoryBackend()), make(0, point)[0]).get("questions", ())
    for data, _ in FILES.values():
        yield from ask(Person(MemoryBackend()), data)["questions"]
    for point, (*_, text, _) in STORED.items():
        data = (HEAD + text).encode()
        yield from ask(person_with(point), data, given=given_beside(point))["questions"]


def said(writer, question):
    lines = [row["line"] for row in question["rows"]]
    effects = [effect_from_json(choice["effect"]) for choice in question["choices"]]
    meanings = [choice["meaning"] for choice in question["choices"] if choice["meaning"]]
    return [
        writer.of_json(question),
        *map(writer.of_json, meanings),
        *(text for texts in writer.effects(effects, lines) for text in texts),
    ]


def test_questions_choices_and_effects_are_written_in_german():
    english, texts = [], []
    for question in questions():
        english += said(PageWriter(region_of("en-GB")), question)
        texts += said(German(), question)
    assert len(texts) == len(english) > 100
    assert "kein Betrag ist negativ" in texts and "der Betrag von Zeile 2 geht" in texts
    assert any(re.fullmatch(r"−\d+,\d\d am \d{1,2}\.[\d.]+", text) for text in texts)
    for one, other in zip(texts, english, strict=True):
        # Only names and numbers can be the same.
        assert one != other or not re.search(r"\b(the|is|of|on|and)\b", other), other


# -- what another language of the whole would still need

_WORDS = re.compile(r"[A-Za-z]{2}[^<>{}]*")
_REFUSALS = ("ImportRefused", "ChangeRefused", "wrong_option", "wrong_value")


def sentences_in(path):
    """Return how many texts of a module are raised as refusals, or given as remarks."""
    found = 0
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Call):
            name = getattr(node.func, "id", getattr(node.func, "attr", ""))
            on = ast.unparse(node.func)
            if name in _REFUSALS or on.endswith("remarks.append"):
                found += any(isinstance(a, ast.Constant | ast.JoinedStr) for a in node.args)
    return found


def texts_in(template):
    html = re.sub(r"\{#.*?#\}|\{%.*?%\}|\{\{.*?\}\}|<style.*?</style>", "\0", template, flags=re.S)
    return len(re.findall(r">\s*\0*\s*[A-Za-z][^<\0]+", html))


def test_how_much_another_language_of_the_whole_would_still_need(figures):
    of_importers = sum(map(sentences_in, (PACKAGE / "importers").rglob("*.py")))
    of_ledger = sum(map(sentences_in, (PACKAGE / "ledger").rglob("*.py")))
    labels = len(COLUMNS) + sum(map(len, CHOICES.values()))
    labels += sum(bool(text) for option in FILE_OPTIONS for text in (option.label, option.help))
    pages = sum(
        texts_in(path.read_text(encoding="utf-8"))
        for path in (PACKAGE / "web" / "templates").rglob("*.jinja2")
    )
    figures(
        f"in German: {len(SENTENCES)} sentences about files; still needed: {of_importers} refusals "
        f"and remarks of importers, {of_ledger} of the ledger, {labels} labels of options, about "
        f"{pages} texts of templates"
    )
    assert min(of_importers, of_ledger, labels, pages) > 0

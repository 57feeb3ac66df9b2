"""Checks every refusal that tests of importers provoke."""

import re

import pytest

from finance_api.cli.import_texts import WAYS, refusal_text
from finance_api.importers.answers import question_json
from finance_api.importers.interface import ImportRefused
from finance_api.values.regions import region_of
from finance_api.web.import_texts import PageWriter
from finance_api.web.option_labels import changes_in_labels

_QUOTED = re.compile(r"(?<!\w)'[^']*'(?!\w)")
_OPTION = re.compile("--[a-z]")


@pytest.fixture(autouse=True, scope="session")
def refusals_have_the_words_of_commands():
    """Let a refusal's reason be the sentence that a command prints."""
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(ImportRefused, "reason", property(refusal_text))
        yield


@pytest.fixture(autouse=True, scope="module")
def no_refusal_has_options_on_the_pages():
    """Check that pages show labels in place of options, and that programs can answer."""
    provoked = []
    make = ImportRefused.__init__

    def noted(self, *arguments, **named):
        make(self, *arguments, **named)
        provoked.append(self)

    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(ImportRefused, "__init__", noted)
        yield
    writer = PageWriter(region_of("en-GB"))
    questions = [question for refused in provoked for question in refused.questions]
    shown = {writer.text(question.fact) for question in questions}
    for refused in provoked:
        for choices in refused.answers:
            shown |= {writer.text(choice.meaning) for choice in choices}
            shown |= {changes_in_labels(choice.changes) for choice in choices}
    assert not [text for text in shown if _OPTION.search(_QUOTED.sub("", text))]
    # A note says another way.
    asked = [question_json(each) for r in provoked if not r.notes for each in r.questions]
    dead = [each for each in asked if not each["choices"] and not each["needs"]]
    assert not {each["topic"] for each in dead} & WAYS.keys()

"""Checks every refusal that tests of importers provoke."""

import re

import pytest

from finance_api.importers.interface import ImportRefused
from finance_api.web.option_labels import changes_in_labels, in_labels

_QUOTED = re.compile(r"(?<!\w)'[^']*'(?!\w)")
#: Any option but --with-records, which the account's page words differently.
_OPTION = re.compile("--(?!with-records)[a-z]")


@pytest.fixture(autouse=True, scope="module")
def no_refusal_has_options_on_the_pages():
    """Check that pages show the labels of fields in place of the options' names."""
    provoked = []
    make = ImportRefused.__init__

    def noted(self, *arguments, **named):
        make(self, *arguments, **named)
        provoked.append(self)

    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(ImportRefused, "__init__", noted)
        yield
    shown = {in_labels(refused.reason) for refused in provoked}
    shown |= {in_labels(question.fact) for refused in provoked for question in refused.questions}
    for refused in provoked:
        for choices in refused.answers:
            shown |= {in_labels(choice.meaning) for choice in choices}
            shown |= {changes_in_labels(choice.changes) for choice in choices}
    assert not [text for text in shown if _OPTION.search(_QUOTED.sub("", text))]

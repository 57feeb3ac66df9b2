"""Follows the commands that a message offers."""

import shlex
from itertools import pairwise

from finance_api.cli.import_texts import PLACEHOLDERS
from finance_api.cli.importing import commands_to_copy
from finance_api.importers.interface import ImportRefused
from finance_api.importers.options import FILE_OPTIONS, OptionKind
from finance_api.values.time import date_text
from support.csv_files import options_in, read

GIVEN = ["me@example.com", "f.csv"]
#: Things that only the person can know -> their values here.
SAID = {PLACEHOLDERS["account"]: "Giro", PLACEHOLDERS["currency"]: "EUR"}
#: Options that can be given several times.
_SEVERAL = {
    option.flag for option in FILE_OPTIONS if option.kind in (OptionKind.LIST, OptionKind.MAP)
}
#: At most this many commands are followed in a row.
DEEPEST = 6


def has_option_twice(line):
    """Return whether a command has an option twice, or a value of an option that is a list."""
    words = shlex.split(line)
    flags = [word for word in words if word.startswith("--") and word not in _SEVERAL]
    values = [pair for pair in pairwise(words) if pair[0] in _SEVERAL]
    return len(set(flags)) < len(flags) or len(set(values)) < len(values)


def ends(data, words=GIVEN, passed=(), *, can_end=False):
    """Yield the records to which sequences of offered commands lead, each with the numbers of
    commands offered on the way. Fails if a command leads back, or nowhere.

    can_end: whether a message may offer nothing: then there are no records (None).
    """
    context, options = options_in(words)
    try:
        statements = read(data, **options)
    except ImportRefused as refused:
        reason = str(refused)
        lines = [c.line for c in commands_to_copy(context, *GIVEN, refused.answers)]
        if can_end and not lines:
            return [(None, ())]
        assert lines, (reason, words, data)
        assert not [line for line in lines if has_option_twice(line)], lines
        assert reason not in passed and len(passed) < DEEPEST, (reason, words, data)
        found = []
        for line in lines:
            following = [SAID.get(word, word) for word in shlex.split(line)[2:]]
            for records, offered in ends(data, following, (*passed, reason), can_end=can_end):
                found.append((records, (len(lines), *offered)))
        return found
    entries = [entry for statement in statements for entry in statement.entries]
    return [(sorted((date_text(e.date), e.amount) for e in entries), ())]

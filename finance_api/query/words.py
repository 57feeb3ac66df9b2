"""Parses ``q``: words, "exact phrases", amounts without their sign, and OR between alternatives."""

import re
from collections.abc import Sequence
from dataclasses import replace
from decimal import Decimal
from itertools import product

from finance_api.query.errors import QueryError, check_length, quoted
from finance_api.query.kinds import clean_operand
from finance_api.query.model import Condition, Span, condition_on, either
from finance_api.query.operators import Operator
from finance_api.resources import RECORDS
from finance_api.resources.records import WORDS
from finance_api.values.number import unit_interval
from finance_api.values.text import plain

MAX_WORDS = 10
#: Separates alternatives: in capitals, and not in quotes.
OR = "OR"

#: A phrase or a word, between blanks.
_TERM = re.compile(r'"([^"]*)"(?!\S)|([^\s"]+)(?!\S)')
_COMPARISON = re.compile("(>=|<=|>|<)(.+)")
_COMPARED = {">": Operator.GT, ">=": Operator.GTE, "<": Operator.LT, "<=": Operator.LTE}
_NUMBER = re.compile("[+\N{MINUS SIGN}-]?([0-9][0-9.,'\N{RIGHT SINGLE QUOTATION MARK}]*)")
#: A whole number; its digits may be in groups of three.
_WHOLE = re.compile(r"[0-9]+|[1-9][0-9]{0,2}([.,'\N{RIGHT SINGLE QUOTATION MARK}])"
                    r"[0-9]{3}(?:\1[0-9]{3})*")  # fmt: skip


def parse_words(text: str) -> tuple[Condition, ...]:
    """Parse the 1 to 10 words and phrases of ``q`` into conditions. Raises QueryError.

    All conditions must hold, so ``a OR b c`` becomes "a or b" and "a or c".
    """
    check_length(text)
    alternatives = dict.fromkeys(map(frozenset, _alternatives(clean_operand(text))))
    number = sum(map(len, alternatives))
    if not 1 <= number <= MAX_WORDS:
        raise QueryError(f"{number} words are given; 1 to {MAX_WORDS} are allowed")
    conditions = dict.fromkeys(map(_any_of, product(*alternatives)))
    return tuple(sorted(conditions, key=lambda each: [str(part.operand) for part in each.parts]))


def _alternatives(text: str) -> list[list[Condition]]:
    """Return the conditions of each alternative."""
    if _TERM.sub("", text).strip():
        raise QueryError(
            f"{quoted(text)} has a double quote that does not begin or end a phrase such as "
            f'"corner shop"'
        )
    alternatives: list[list[Condition]] = [[]]
    for term in _TERM.finditer(text):
        if term[0] == OR:
            alternatives.append([])
        else:
            alternatives[-1].append(_term(*term.groups()))
    if len(alternatives) > 1 and not all(alternatives):
        raise QueryError(
            f"{quoted(text)} has no word before or after an {OR}: write words on both of its "
            f'sides, such as "cash {OR} card", or look for "or" in small letters'
        )
    return alternatives


def _any_of(terms: Sequence[Condition]) -> Condition:
    """Return the condition that one of the terms is found."""
    if len(set(terms)) == 1:
        return terms[0]
    parts = dict.fromkeys(part for term in terms for part in term.parts)
    return either(WORDS, sorted(parts, key=repr))


def _term(phrase: str | None, word: str) -> Condition:
    if phrase is None:
        return _word(word)
    if phrase.strip():
        return _text(phrase)
    raise QueryError("a phrase needs a text between its quotes")


def _text(text: str) -> Condition:
    # A text of accents alone stays as it is, and matches nothing: searched texts have no accents.
    return Condition(WORDS, Operator.WORD, plain(text) or text)


def _word(word: str) -> Condition:
    comparison = _COMPARISON.fullmatch(word)
    if comparison and (sizes := _readings(comparison[2])):
        operator = _COMPARED[comparison[1]]
        return either(WORDS, [_size(operator, size) for size in sizes])
    sizes = _readings(word)
    text = _text(word)
    return either(WORDS, [text, *(_size(Operator.EQ, s) for s in sizes)]) if sizes else text


def _size(operator: Operator, size: Decimal) -> Condition:
    span = Span(*unit_interval(size, RECORDS["amount"].decimals))
    return replace(condition_on(RECORDS, "amount", operator, span), absolute=True)


def _readings(text: str) -> list[Decimal]:
    """Return the amounts that a number may mean: ``1.250`` may be 1,250 or 1.25."""
    number = _NUMBER.fullmatch(text)
    if number is None:
        return []
    found = []
    for point in (None, ".", ","):
        whole, decimals = number[1], "0"
        if point is not None:
            whole, _, decimals = whole.partition(point)
        if decimals.isdecimal() and _WHOLE.fullmatch(whole):
            found.append(Decimal(f"{re.sub('[^0-9]', '', whole)}.{decimals}"))
    return found

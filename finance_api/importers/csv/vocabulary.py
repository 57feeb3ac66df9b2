"""The words of banks: the words of cells (``words.toml``) and of headings (``headings.toml``)."""

import re
import tomllib
import unicodedata
from collections.abc import Collection, Iterable, Sequence
from functools import lru_cache
from itertools import chain, combinations
from pathlib import Path

from finance_api.resources.currencies import CODES, Mark, mark_of
from finance_api.values.text import TextError, clean, fold


def folded(text: str) -> str:
    """Return the form in which words and headings are compared: NFC, trimmed, without case."""
    try:
        # The small letter of the Turkish İ has a dot of its own.
        return fold(clean(text)).replace("\u0307", "").strip()
    except TextError:
        return text


def read_words(file: str) -> dict[str, list[str]]:
    """Return meaning -> its words, folded, from a file beside this one (commas between words)."""
    text = Path(__file__).with_name(file).read_text("utf-8")
    return {
        meaning: [folded(word) for word in words.replace("\n", ",").split(",") if word.strip()]
        for meaning, words in tomllib.loads(text).items()
    }


def without_accents(text: str) -> str:
    letters = unicodedata.normalize("NFKD", text)
    return "".join(c for c in letters if not unicodedata.combining(c))


_FILE = read_words("words.toml")

#: A word of the file -> -1 for money going out, 1 for money coming in.
DIRECTIONS = dict.fromkeys(_FILE["out"], -1) | dict.fromkeys(_FILE["in"], 1)
#: Words of rows that lower what is owed on a card.
REPAID, _THANKED = frozenset(_FILE["repaid"]), frozenset(_FILE["thanked"])
_CARDS, _OWNED = frozenset(_FILE["cards"]), frozenset(_FILE["owned"])
OWN_BOOKS, JOURNAL = frozenset(_FILE["own_books"]), frozenset(_FILE["other_books"])
YES, NO = frozenset(_FILE["yes"]), frozenset(_FILE["no"])
YES_OR_NO = YES | NO
BOOKED, NOT_MONEY = frozenset(_FILE["booked"]), frozenset(_FILE["not_money"])
NEITHER = frozenset(_FILE["neither"])
_LIKELY_NOT_MONEY = frozenset(_FILE["likely_not_money"])
#: A title above rows -> whether these rows are booked.
TITLES = dict.fromkeys(_FILE["pending_titles"], False) | dict.fromkeys(_FILE["booked_titles"], True)
_WESTERN = frozenset(map(without_accents, _FILE["western"]))
WEEKDAYS = " ".join(_FILE["weekdays"]).split()

#: Kinds of rows that are not transactions, but state a balance or a total.
OPENING, CLOSING, TOTAL, CARRIED = "opening", "closing", "total", "carried"
_WORD = re.compile(r"[^\W\d_]+")
#: The place where the next word begins in a heading such as BookingDate.
_CAMEL = re.compile(r"(?<=[a-z])(?=[A-Z])")
_KINDS = {
    tuple(_WORD.findall(phrase)): kind
    for kind in (OPENING, CLOSING, TOTAL, CARRIED)
    for word in _FILE[kind]
    for phrase in (word, without_accents(word))
}
_BESIDE_BALANCE = frozenset(" ".join(_FILE["beside_balance"]).split())
#: The first three characters of cells in such rows, in lower case: "bal", and "b/f" for "B/F".
STARTS = frozenset(by.join(phrase)[:3] for phrase in _KINDS for by in " /.-")
_SUMS = frozenset(phrase[0] for phrase, kind in _KINDS.items() if kind == TOTAL)
_SUM_WORDS = _BESIDE_BALANCE.union(*_KINDS)
_LONGEST = 60
#: Words of a balance that is not only the account's own money.
_NOT_OWN = frozenset(
    "avail available disponible disponibile verfugbar verfugbarer limit credit".split()
)
_IN_FULL = {"bal": "balance", "fwd": "forward"}


def kind_of(text: str) -> str | None:
    """Return the kind of row that a cell such as "Saldovortrag" names, or None."""
    if len(text) > _LONGEST or text[:3].lower() not in STARTS:
        return None
    return _kind_of(text)


@lru_cache(1024)
def _kind_of(text: str) -> str | None:
    words = [_IN_FULL.get(word, word) for word in _WORD.findall(folded(_CAMEL.sub(" ", text)))]
    while len(words) > 1 and words[-1] in _BESIDE_BALANCE and tuple(words) not in _KINDS:
        words.pop()
    return _KINDS.get(tuple(words))


def is_not_money(text: str) -> bool:
    """Return whether a text is or contains a word for transactions that have not been booked."""
    words = folded(text)
    return words in NOT_MONEY or any(
        len(word) > 5 and word in NOT_MONEY for word in _WORD.findall(words)
    )


def is_likely_not_money(text: str) -> bool:
    """Return whether a status says that a row most likely moved no money."""
    return folded(text) in _LIKELY_NOT_MONEY or is_not_money(text)


def states_balance(text: str) -> bool:
    """Return whether a text says nothing but that an amount is a balance; "Total" may be a shop."""
    kind = kind_of(text) if len(text) > 4 else None
    return kind in (OPENING, CLOSING) or (kind == TOTAL and " " in text.strip())


def looks_like_card(
    account: str, incoming: Sequence[Iterable[str]], outgoing: Sequence[Iterable[str]]
) -> bool:
    """Return whether what seems to come in may be spent, as on a card whose balance is a debt.

    incoming, outgoing: the cells of rows whose money comes in, or goes out, judging by the signs.
    """
    is_card = names_card(account)
    are_repaid = len(incoming) >= len(outgoing) and all(map(is_repaid, outgoing))
    return are_repaid or (is_card and len(incoming) > len(outgoing))


def names_card(*texts: str) -> bool:
    """Return whether a text names a card, as "Visa", "Card Member" and "Kartennummer" do."""
    return is_repaid((_CAMEL.sub(" ", text) for text in texts), _CARDS)


def is_owned(*texts: str) -> bool:
    """Return whether a text names an account, or income, that no card has."""
    return is_repaid(texts, _OWNED)


def is_repaid(cells: Iterable[str], words: frozenset[str] = REPAID) -> bool:
    """Return whether a row's cells name money that lowers what is owed on a card."""
    return any(not words.isdisjoint(_WORD.findall(folded(cell))) for cell in cells)


def are_card_payments(outgoing: Sequence[Iterable[str]]) -> bool:
    """Return whether all rows with a minus are what the owner of a card paid or got back, and one
    says "thank you" or the like: the rows of other accounts do not.
    """
    return all(map(is_repaid, outgoing)) and any(is_repaid(row, _THANKED) for row in outgoing)


def may_sum_up(text: str) -> bool:
    """Return whether a text may name a balance or a total; `kind_of` and `kind_in` tell."""
    return text[:3].lower() in STARTS or not _SUMS.isdisjoint(text.lower().split())


def names_only_sums(text: str) -> bool:
    """Return whether a text consists of words for totals and balances, and words beside them."""
    return all(word in _SUM_WORDS for word in _WORD.findall(folded(_CAMEL.sub(" ", text))))


def named_balance(label: str) -> str | None:
    """Return the kind of balance that a label such as "closingBalance" or "Solde au" names:
    OPENING, CLOSING, or TOTAL for any other balance of the account; None if it names none.
    """
    kind = kind_in(label)
    if kind in (OPENING, CLOSING):
        return kind
    is_own = _NOT_OWN.isdisjoint(heading_words(label))
    return TOTAL if is_own and role_fit("balance", label) else None


@lru_cache(1024)
def kind_in(text: str) -> str | None:
    """Return the kind of row that the longest known phrase in a text names, or None."""
    words = _WORD.findall(folded(_CAMEL.sub(" ", text[:_LONGEST])))
    for size in range(4, 0, -1):
        for start in range(len(words) - size + 1):
            phrase = tuple(words[start : start + size])
            if phrase in _KINDS and len("".join(phrase)) > 3:
                return _KINDS[phrase]
    return None


_MONTHS = [without_accents(names.casefold()).split() for names in _FILE["months"]]


@lru_cache(1024)
def month_number(name: str) -> int:
    """Return the month, from 1, of a full or short name; 0 if it names no month, or several."""
    plain = without_accents(name.casefold()).rstrip(".")
    named = [n for n, names in enumerate(_MONTHS, 1) if plain in names]
    if not named and len(plain) > 2:
        named = [
            n for n, names in enumerate(_MONTHS, 1) if any(each.startswith(plain) for each in names)
        ]
    return named[0] if len(named) == 1 else 0


def without_numbers(text: str) -> str:
    """Return a text such as "October 2026" without its numbers and names of months."""
    words = _WORD.findall(folded(text))
    return " ".join(word for word in words if not month_number(word))


_HEADING_WORD = re.compile(
    r"(?:US|NZ|HK|NT|[ACSR])\$|S/(?![^\W\d_])|[0-9]+月|\u05d1?\u05e9[\x22\u05f4]\u05d7|[^\W\d_]+|[0-9]+|[$£¥฿\u20a0-\u20cf]"
)
_LETTER = re.compile("[A-Za-z]")
#: Blanks between Chinese letters, which only space them out.
_BETWEEN = re.compile("(?<=[\u3000-\u9fff]) +(?=[\u3000-\u9fff])")
#: A heading whose last part is in brackets.
_BRACKETS = re.compile(r"(.*\S)\s*[(\[（]([^()\[\]（）]+)[)\]）]\W*")
#: Letters that `without_accents` leaves as they are -> plain letters.
_LETTERS = str.maketrans({"ł": "l", "ø": "o", "đ": "d", "ß": "ss", "æ": "ae", "ı": "i"})
#: Words that may stand between the word for amounts and the currency.
_BESIDE_CURRENCY = frozenset("in en em w v".split())
#: Codes that count as currencies in lower case, too; other codes in lower case may be words.
_SMALL = frozenset("eur usd gbp chf pln czk sek nok dkk huf cad aud jpy".split())
#: Time zones that may end the heading of a date.
_ZONES = frozenset("utc gmt local cet".split())
_LONGEST_HEADING = 100


def heading_words(heading: str) -> tuple[str, ...]:
    """Return the heading's words without case, accents, and a currency at the end."""
    return _parts_of(heading)[0]


def marks_in(heading: str) -> frozenset[Mark]:
    """Return the currencies that a heading such as "Betrag in USD" or "Tutar (TL)" states."""
    return _parts_of(heading)[1]


@lru_cache(4096)
def _parts_of(heading: str) -> tuple[tuple[str, ...], frozenset[Mark]]:
    text = _CAMEL.sub(" ", heading[:_LONGEST_HEADING]).replace("_", " ")
    text = _BETWEEN.sub("", text.replace("[-]", " minus ").replace("[+]", " plus "))
    brackets = _BRACKETS.fullmatch(text)
    mark = None if brackets is None else _mark_in(brackets[2].strip())
    if brackets is not None and mark is not None:
        text = brackets[1]
    marks = {mark}
    words = _HEADING_WORD.findall(text) or text.split()
    while len(words) > 1 and (words[-1].isdigit() or words[-1].lower() in _ZONES):
        words.pop()
    if len(words) > 1 or heading in CODES:
        # A name of a currency that is not at the end may be a word.
        marks.update(_mark_in(word) for word in words if word.isupper() or not word.isalpha())
    count = len(words)
    # A single letter may stand for anything.
    while len(words) > 1 and not _LETTER.fullmatch(words[-1]) and (mark := _mark_in(words[-1])):
        marks.add(mark)
        words.pop()
    if len(words) < count and len(words) > 1 and words[-1].lower() in _BESIDE_CURRENCY:
        words.pop()
    plain = (without_accents(folded(word).translate(_LETTERS)) for word in words)
    return tuple(plain), frozenset(filter(None, marks))


def _mark_in(word: str) -> Mark | None:
    is_code = word.upper() in CODES
    return mark_of(word) if not is_code or word.isupper() or word.lower() in _SMALL else None


def currency_in(heading: str) -> str | None:
    """Return the only currency that a heading states; None if the heading is ambiguous."""
    codes = {mark.currency for mark in marks_in(heading)}
    return codes.pop() if len(codes) == 1 else None


#: The letters of China, Japan and Korea come after this one.
_IDEOGRAPHS = "\u3000"
#: Role of a column -> headings, or parts of headings, that name it.
_HEADINGS = read_words("headings.toml")
_SPELLED = frozenset(
    word for word in _WORD.findall(" ".join(chain(*_HEADINGS.values()))) if not word.isascii()
)
_ROLES = {role: frozenset(map(heading_words, texts)) for role, texts in _HEADINGS.items()}
_COUNTS = _ROLES.pop("counts")


def role_fit(role: str, heading: str) -> int:
    """Return 2 if the heading is known for the role, 1 if a part of the heading is, else 0."""
    words = heading_words(heading)
    if not words:
        return 0
    phrases = _ROLES[role]
    if words in phrases:
        return 2
    spans = combinations(range(len(words) + 1), 2)
    parts = [words[start:end] for start, end in spans if end - start <= 4]
    # Chinese and Japanese do not divide words: the last one says what the others describe. Two
    # letters of the Latin alphabet say little.
    parts = [part for part in parts if len(part[0]) > 2 or part[0] > _IDEOGRAPHS]
    parts += [
        (each[at:],) for each in words if each > _IDEOGRAPHS for at in range(1, len(each) - 1)
    ]
    return int(any(part in phrases for part in parts))


def known_headings(headings: Sequence[str]) -> int:
    """Return how many of the headings are known for a role."""
    return sum(any(role_fit(role, each) == 2 for role in _ROLES) for each in headings)


def spelled_headings(headings: Sequence[str]) -> int:
    """Return how many of the headings have words that are known with exactly these accents."""
    return sum(not _SPELLED.isdisjoint(_WORD.findall(folded(each))) for each in headings)


def are_western(headings: Sequence[str]) -> bool:
    """Return whether a heading has a word of a language of western Europe."""
    return any(not _WESTERN.isdisjoint(heading_words(each)) for each in headings)


def are_counts(headings: Sequence[str]) -> bool:
    """Return whether a row below these headings counts and sums up other rows."""
    return any(heading_words(each)[:size] in _COUNTS for each in headings for size in (1, 2))


def directions_in(words: Collection[str], heading: str) -> dict[str, int]:
    """Return word -> -1 or 1, for the folded words of a column that say which way money goes.

    A letter may have other meanings: it counts only beside a word for the other direction, or if
    the heading names directions and no word is unknown.
    """
    known = {word: DIRECTIONS[word] for word in words if word in DIRECTIONS}
    is_named = len(known) == len(words) and role_fit("way", heading) > 0
    letters_count = is_named or len(set(known.values())) == 2
    return {word: way for word, way in known.items() if letters_count or len(word) > 1}

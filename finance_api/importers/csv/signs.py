"""Which way money goes: from the sign of a number, the column that it stands in, or a word."""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from itertools import product

from finance_api.importers.csv.amounts import Amount
from finance_api.importers.csv.columns import Headings
from finance_api.importers.csv.options import POSITIVE, CsvOptions, positive_of
from finance_api.importers.csv.survey import AMOUNT, IN, OUT, Kind, SignWords, Survey, Watched
from finance_api.importers.csv.vocabulary import BOOKED, DIRECTIONS, NOT_MONEY, folded
from finance_api.importers.interface import Answer, ImportRefused
from finance_api.importers.questions import Questions
from finance_api.importers.texts import listed, quoted


@dataclass(frozen=True)
class Signs:
    """rules: place of an amount -> sign (as `AmountColumns.add` has it) -> where the money goes:
    1 for coming in, -1 for going out.
    """

    rules: Mapping[int, Mapping[int, int]]

    def units(self, amount: Amount, place: int) -> int:
        """In ten-thousandths; money going out is negative."""
        sign = 2 * amount.side or (1 if amount.units > 0 else -1)
        return self.rules[place][sign] * abs(amount.units)

    def direction(self, kind: Kind) -> int:
        """1 for money coming in, -1 for money going out, 0 for no money."""
        place, sign = kind
        return self.rules[place][sign] if sign else 0


def decide_signs(
    survey: Survey,
    options: CsvOptions,
    headings: Headings,
    questions: Questions,
    fits: Callable[[Signs], bool] | None,
    remarks: list[str],
    profile: str | None,
) -> Signs:
    """fits: whether the balance column agrees with these signs; None without one.

    profile: what says which way money goes, if there is one.
    """
    asked = len(questions.asked)
    positive = positive_of(options)
    if survey.words is not None and survey.words.unknown is not None:
        _ask_for_words(survey.words, headings, questions)
    if any(place != AMOUNT for place, _ in survey.kinds):
        signs = _of_sides(survey, options, questions, fits, remarks)
    else:
        if positive is None and profile is None and _is_unsigned(survey):
            _ask_what_unsigned_means(survey, headings, questions)
        signs = Signs({AMOUNT: _rule(-1 if positive == "out" else 1)})
    if len(questions.asked) == asked:
        _ask_about_contradictions(survey, signs, options, headings, questions, profile)
    return signs


def _is_unsigned(survey: Survey) -> bool:
    signs = {sign for _, sign in survey.kinds}
    return 1 in signs and not signs & {-1, -2}


def _ask_for_words(words: SignWords, headings: Headings, questions: Questions) -> None:
    """A word in the column of --sign that says nothing."""
    assert words.unknown is not None
    text, line = words.unknown
    answers = _answers_of_words(headings.named(words.column), words.known)
    questions.ask(
        f"{quoted(text.strip())} does not say which way the money goes: name the words for money "
        "going out with --sign COLUMN=OUT,…, or leave such rows out with --only",
        *(answer._replace(instead_of=("--sign",)) for answer in answers),
        line=line,
    )


def _ask_what_unsigned_means(survey: Survey, headings: Headings, questions: Questions) -> None:
    unsigned = "no amount is negative"
    line = survey.kinds[AMOUNT, 1]
    either = [
        Answer(("--positive", way), meaning=_shown_way(line, direction))
        for way, direction in (("in", IN), ("out", OUT))
    ]
    for column in survey.watched:
        words = [text.strip() for text in column.values if folded(text) in DIRECTIONS]
        if not words:
            continue
        name = headings.named(column.index)
        answers = _answers_of_words(name, column.values)
        if not _is_certain(column.values):
            other = _as_note(column.index, survey, headings)
            answers += [
                Answer(
                    (*other.words, *way.words), other.instead_of, f"{other.meaning}, {way.meaning}"
                )
                for way in either
            ]
        questions.ask(
            f"{unsigned}, and the column {quoted(name)} says which way money goes "
            f"({listed(words)}): name it with --sign",
            *answers,
            line=line,
            column=column.index,
        )
        return
    has_credits = any(sign == 2 for _, sign in survey.kinds)
    questions.ask(
        f"{unsigned}: say what a positive number means, money coming in with --positive in or "
        "money going out with --positive out",
        *(either[1:] if has_credits else either),
        line=line,
    )


def _is_certain(texts: Iterable[str]) -> bool:
    """Whether they are words for a direction, and can hardly be anything else."""
    words = {folded(text) for text in texts}
    ways = {DIRECTIONS.get(word) for word in words}
    return None not in ways and (len(ways) == 2 or any(len(word) > 2 for word in words))


def _answers_of_words(name: str, texts: Iterable[str]) -> list[Answer]:
    """Ways to read a column of words, of which some say which way money goes.

    What the others say, only the person knows: money going out, coming in, or none. A single
    unknown abbreviation beside a known one is its opposite.
    """
    words = {folded(text): text.strip() for text in texts}
    outgoing = [text for word, text in words.items() if DIRECTIONS.get(word) == OUT]
    unknown = [text for word, text in words.items() if word not in DIRECTIONS]
    if not unknown:
        return [Answer(("--sign", name), meaning=f"{quoted(name)} says which way money goes")]
    if any("," in text for text in words.values()):
        return []
    said = listed(unknown)
    as_incoming = Answer(
        ("--sign", f"{name}={','.join(outgoing)}"), meaning=f"{said} is money coming in"
    )
    as_outgoing = Answer(
        ("--sign", f"{name}={','.join([*outgoing, *unknown])}"),
        meaning=f"{said} is money going out",
    )
    if len(words) == 2 and all(1 <= len(word) <= 2 for word in words):
        return [as_incoming if outgoing else as_outgoing]
    answers = [as_outgoing]
    if outgoing:
        answers.append(as_incoming)
    if len(unknown) < len(words) - len(unknown):
        known = [text for word, text in words.items() if word in DIRECTIONS]
        only = [word for text in known for word in ("--only", f"{name}={text}")]
        answers.append(Answer(("--sign", name, *only), meaning=f"{said} is no money"))
    return answers


def _as_note(index: int, survey: Survey, headings: Headings) -> Answer:
    """Makes a column a part of the note: it says nothing else then."""
    words: list[str] = []
    for each in (*survey.columns.get("note", ()), index):
        words += ["--map", f"note={headings.named(each)}"]
    meaning = f"{quoted(headings.named(index))} is text of the note"
    return Answer(tuple(words), ("--map note",), meaning)


def _shown_way(line: int, direction: int) -> str:
    return f"the amount of line {line} {'comes in' if direction > 0 else 'goes out'}"


def _ask_about_contradictions(
    survey: Survey,
    signs: Signs,
    options: CsvOptions,
    headings: Headings,
    questions: Questions,
    profile: str | None,
) -> None:
    """Words of unmapped columns that say something else than the signs."""
    for column in survey.watched:
        # Text, the way that it says, the way that an amount beside it goes, and its first line.
        said = [
            (text, direction, signs.direction(kind), line)
            for text, lines in column.values.items()
            if (direction := DIRECTIONS.get(folded(text), 0))
            for kind, line in lines.items()
        ]
        words = {folded(text) for text, *_ in said}
        if len(words) == 1 and len({way for *_, way, _ in said} - {0}) > 1:
            # One word beside money of both directions tells none.
            continue
        wrong = [(text, way, line) for text, direction, way, line in said if way == -direction]
        if not wrong:
            continue
        text, way, line = wrong[0]
        name = headings.named(column.index)
        reason = (
            f"the column {quoted(name)} says {quoted(text.strip())} beside an amount that is money "
            f"{'coming in' if way > 0 else 'going out'}"
        )
        if profile is not None:
            raise ImportRefused(f"{reason}, which the profile {profile} rules out", line)
        is_signed = (AMOUNT, -1) in survey.kinds
        help_, answers = _otherwise(name, column, options, is_signed=is_signed)
        if is_signed and all(way in (0, -direction) for _, direction, way, _ in said):
            other = "in" if positive_of(options) == "out" else "out"
            answers.append(Answer(("--positive", other), POSITIVE, _shown_way(line, -way)))
        if is_signed or not _is_certain(column.values) or options.sign or options.debit:
            answers.append(_as_note(column.index, survey, headings))
        questions.ask(
            f"{reason}: {help_}, or map it to a field (--map note={name}) if it says something "
            "else",
            *answers,
            line=line,
            column=column.index,
        )
        return


def _otherwise(
    name: str, column: Watched, options: CsvOptions, *, is_signed: bool
) -> tuple[str, list[Answer]]:
    """What to do if the column is right, and the answers for it.

    Most words of a column beside amounts with signs must tell a direction.
    """
    if options.debit is not None and options.credit is not None:
        exchanged = ("--debit", options.credit, "--credit", options.debit)
        meaning = f"money going out is in {quoted(options.credit)}"
        answer = Answer(exchanged, ("--debit", "--credit"), meaning)
        return "exchange --debit and --credit", [answer]
    words = {folded(text) for text in column.values}
    answers: list[Answer] = []
    if len(words & DIRECTIONS.keys()) * 2 >= len(words) or not is_signed:
        answers = _answers_of_words(name, column.values)
    given = POSITIVE if options.sign is None else ("--sign",)
    return "name it with --sign", [answer._replace(instead_of=given) for answer in answers]


def _of_sides(
    survey: Survey,
    options: CsvOptions,
    questions: Questions,
    fits: Callable[[Signs], bool] | None,
    remarks: list[str],
) -> Signs:
    ways = {place: ways for place in (OUT, IN) if (ways := _ways(survey, place))}
    names = (
        {OUT: "money going out", IN: "money coming in"}
        if options.sign is not None
        else {OUT: "the debit column", IN: "the credit column"}
    )
    for place in (OUT, IN):
        if (place, -1) in survey.kinds and place not in ways and options.mixed_signs is None:
            way = "going out" if place == OUT else "coming in"
            remarks.append(
                f"{names[place]} has only negative numbers: they are taken as money {way}"
            )
    chosen = options.mixed_signs
    if ways and chosen is None and fits is not None:
        trials = [dict(zip(ways, each, strict=True)) for each in product(*ways.values())]
        fitting = [trial for trial in trials if fits(_signs(trial))]
        if len(fitting) == 1:
            for place, way in fitting[0].items():
                remarks.append(
                    f"{names[place]} has numbers of both signs; the balance column fits only "
                    f"--mixed-signs {way}"
                )
            return _signs(fitting[0])
    if ways and chosen is None:
        chosen = "plus"
        place, possible = next(iter(ways.items()))
        word = "CR" if place == OUT else "DR"
        has, means = f"amounts with {word}", f"plus ({word} says which way money goes)"
        if "minus" in possible:
            has = "positive and negative numbers"
            means = "plus (a negative number goes the other way), minus (a positive one does)"
        questions.ask(
            f"{names[place]} has {has}: say what the sign means with --mixed-signs: {means} or "
            "ignore (it means nothing)",
            *(
                Answer(("--mixed-signs", way), meaning=_shown_ways(survey, place, way))
                for way in possible
            ),
            line=max(_lines(survey, place).values()),
        )
    return _signs(dict.fromkeys(ways, chosen or ""))


def _lines(survey: Survey, place: int) -> dict[int, int]:
    """Sign -> the first line that has it there."""
    return {
        sign: survey.kinds[place, sign] for sign in (1, -1, 2, -2) if (place, sign) in survey.kinds
    }


def _ways(survey: Survey, place: int) -> tuple[str, ...]:
    """What the signs there may mean; nothing where all follow the column."""
    signs = _lines(survey, place)
    if {1, -1} <= signs.keys():
        return ("plus", "minus", "ignore")
    return ("plus", "ignore") if -2 * place in signs else ()


def _shown_ways(survey: Survey, place: int, way: str) -> str:
    signs = _signs({place: way})
    return ", ".join(
        _shown_way(line, signs.direction((place, sign)))
        for sign, line in _lines(survey, place).items()
    )


def _signs(ways: Mapping[int, str]) -> Signs:
    """ways: place of amounts whose signs differ -> what the sign says there."""
    rules = {}
    for place in (OUT, IN):
        match ways.get(place):
            case "plus":
                rules[place] = _rule(place)
            case "minus":
                rules[place] = _rule(-place)
            case _:
                rules[place] = dict.fromkeys(_rule(place), place)
    return Signs(rules)


def _rule(positive: int) -> dict[int, int]:
    """Of a place where signs count. positive: where a positive number goes."""
    return {1: positive, -1: -positive, 2: 1, -2: -1}


def ask_for_money(survey: Survey, headings: Headings, questions: Questions) -> None:
    """Asks for --only where an unmapped column says that rows are not (yet) money."""
    for column in survey.watched:
        found = [text for text in column.values if folded(text) in NOT_MONEY]
        if not found:
            continue
        name = headings.named(column.index)
        others = {folded(text): text.strip() for text in column.values if text not in found}
        booked = [text for word, text in others.items() if word in BOOKED]
        unknown = [text for word, text in others.items() if word not in BOOKED]
        # Some of them are money; with others than these only the person knows which.
        kept = [list(others.values())] if others else []
        if len(others) > 1 and unknown:
            kept += [booked] if booked else [[text] for text in unknown]
        questions.ask(
            f"the column {quoted(name)} has {listed(text.strip() for text in found)}: say which "
            "rows are money with --only COLUMN=VALUE",
            *(
                Answer(
                    tuple(word for text in texts for word in ("--only", f"{name}={text}")),
                    meaning=f"money are rows of {listed(texts)}",
                )
                for texts in kept
            ),
            line=min(line for text in found for line in column.values[text].values()),
            column=column.index,
        )

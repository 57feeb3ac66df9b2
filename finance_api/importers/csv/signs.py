"""Which way money goes: from the sign of a number, the column that it stands in, or a word."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from itertools import product

from finance_api.importers.csv.amounts import Amount
from finance_api.importers.csv.columns import Headings
from finance_api.importers.csv.options import CsvOptions, positive_of
from finance_api.importers.csv.questions import Questions
from finance_api.importers.csv.survey import AMOUNT, IN, OUT, Kind, Survey, Watched
from finance_api.importers.csv.vocabulary import DIRECTIONS, NOT_MONEY, folded
from finance_api.importers.csv.wording import listed, quoted
from finance_api.importers.interface import ImportRefused

#: What --mixed-signs says -> whether a positive number follows its column, and a negative one.
_WAYS = {"plus": (1, -1), "minus": (-1, 1), "ignore": (1, 1)}


@dataclass(frozen=True)
class Signs:
    """rules: place of an amount -> where a positive number goes, and where a negative one:
    1 for money coming in, -1 for money going out.
    """

    rules: Mapping[int, tuple[int, int]]

    def units(self, amount: Amount, place: int) -> int:
        """In ten-thousandths; money going out is negative."""
        units = amount.units
        if amount.side:
            return amount.side * abs(units)
        rule = self.rules[place]
        return units * rule[0] if units > 0 else -units * rule[1]

    def direction(self, kind: Kind) -> int:
        """1 for money coming in, -1 for money going out, 0 for no money."""
        place, sign = kind
        if sign in (0, 2, -2):
            return sign // 2
        return self.rules[place][0 if sign > 0 else 1]


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
    positive = positive_of(options)
    if any(place != AMOUNT for place, _ in survey.kinds):
        signs = _of_sides(survey, options, questions, fits, remarks)
    else:
        if positive is None and profile is None and _is_unsigned(survey):
            _ask_what_unsigned_means(survey, headings, questions)
        rule = (-1, 1) if positive == "out" else (1, -1)
        signs = Signs({AMOUNT: rule})
        if "--sign" in questions.answers:
            return signs
    _refuse_contradictions(survey, signs, options, headings, questions, profile)
    return signs


def _is_unsigned(survey: Survey) -> bool:
    signs = {sign for _, sign in survey.kinds}
    return 1 in signs and not signs & {-1, -2}


def _ask_what_unsigned_means(survey: Survey, headings: Headings, questions: Questions) -> None:
    unsigned = "no amount is negative"
    for column in survey.watched:
        answer = _sign_answer(column, headings)
        if answer:
            words = [text.strip() for text in column.values if folded(text) in DIRECTIONS]
            questions.ask(
                f"{unsigned}, and the column {quoted(headings.named(column.index))} says which "
                f"way money goes ({listed(words)}): name it with --sign",
                *answer,
                line=survey.kinds[AMOUNT, 1],
                column=column.index,
            )
            return
    has_credits = any(sign == 2 for _, sign in survey.kinds)
    questions.ask(
        f"{unsigned}: say what a positive number means, money coming in with --positive in or "
        "money going out with --positive out",
        "--positive",
        "out" if has_credits else "in",
        line=survey.kinds[AMOUNT, 1],
    )


def _sign_answer(column: Watched, headings: Headings) -> list[str]:
    """Options that read the column; none if most of its words tell no direction.

    A single unknown abbreviation beside a known one is its opposite; else rows with unknown
    words are left out.
    """
    name = headings.named(column.index)
    words = {folded(text): text.strip() for text in column.values}
    known = {word: text for word, text in words.items() if word in DIRECTIONS}
    if not known or len(known) * 2 < len(words):
        return []
    if len(known) == 1 and len(words) == 2 and all(1 <= len(word) <= 2 for word in words):
        outgoing = [text for word, text in words.items() if DIRECTIONS.get(word) == OUT]
        if not outgoing:
            outgoing = [text for word, text in words.items() if word not in known]
        return ["--sign", f"{name}={outgoing[0]}"]
    answer = ["--sign", name]
    if len(known) < len(words):
        for text in known.values():
            answer += ["--only", f"{name}={text}"]
    return answer


def _refuse_contradictions(
    survey: Survey,
    signs: Signs,
    options: CsvOptions,
    headings: Headings,
    questions: Questions,
    profile: str | None,
) -> None:
    """Words of unmapped columns that say something else than the signs."""
    for column in survey.watched:
        found = {
            text: direction
            for text in column.values
            if (direction := DIRECTIONS.get(folded(text), 0))
        }
        ways = {signs.direction(kind) for text in found for kind in column.values[text]} - {0}
        if len({folded(text) for text in found}) == 1 and len(ways) > 1:
            # One word beside money of both directions tells none.
            continue
        for text, direction in found.items():
            for kind, line in column.values[text].items():
                if signs.direction(kind) != -direction:
                    continue
                name = headings.named(column.index)
                way = "coming in" if direction < 0 else "going out"
                reason = (
                    f"the column {quoted(name)} says {quoted(text.strip())} beside an amount that "
                    f"is money {way}"
                )
                if profile is not None:
                    raise ImportRefused(f"{reason}, which the profile {profile} rules out", line)
                if kind[0] != AMOUNT:
                    other = "--sign" if options.sign else "--debit and --credit"
                    raise ImportRefused(
                        f"{reason}: look at {other} again, or map the column to a field (--map "
                        f"note={name}) if it says something else",
                        line,
                    )
                questions.ask(
                    f"{reason}: name it with --sign, or map it to a field (--map note={name}) if "
                    "it says something else",
                    *(_sign_answer(column, headings) or ("--map", f"note={name}")),
                    line=line,
                    instead_of=("--positive", "--invert"),
                    column=column.index,
                )
                return


def _of_sides(
    survey: Survey,
    options: CsvOptions,
    questions: Questions,
    fits: Callable[[Signs], bool] | None,
    remarks: list[str],
) -> Signs:
    mixed = [
        place for place in (OUT, IN) if (place, 1) in survey.kinds and (place, -1) in survey.kinds
    ]
    names = (
        {OUT: "money going out", IN: "money coming in"}
        if options.sign is not None
        else {OUT: "the debit column", IN: "the credit column"}
    )
    for place in (OUT, IN):
        if (place, -1) in survey.kinds and place not in mixed and options.mixed_signs is None:
            way = "going out" if place == OUT else "coming in"
            remarks.append(
                f"{names[place]} has only negative numbers: they are taken as money {way}"
            )
    chosen = options.mixed_signs
    if mixed and chosen is None and fits is not None:
        trials = [dict(zip(mixed, ways, strict=True)) for ways in product(_WAYS, repeat=len(mixed))]
        fitting = [ways for ways in trials if fits(_signs(ways))]
        if len(fitting) == 1:
            for place, way in fitting[0].items():
                remarks.append(
                    f"{names[place]} has numbers of both signs; the balance column fits only "
                    f"--mixed-signs {way}"
                )
            return _signs(fitting[0])
    if mixed and chosen is None:
        chosen = "plus"
        place = mixed[0]
        questions.ask(
            f"{names[place]} has positive and negative numbers: say what the sign means with "
            "--mixed-signs: plus (a negative number goes the other way), minus (a positive one "
            "does) or ignore (it means nothing)",
            "--mixed-signs",
            chosen,
            line=max(survey.kinds[place, 1], survey.kinds[place, -1]),
        )
    return _signs(dict.fromkeys(mixed, chosen or ""))


def _signs(ways: Mapping[int, str]) -> Signs:
    """ways: place of amounts of both signs -> what the sign says there."""
    rules = {}
    for place in (OUT, IN):
        positive, negative = _WAYS[ways.get(place, "ignore")]
        rules[place] = (positive * place, negative * place)
    return Signs(rules)


def ask_for_money(survey: Survey, headings: Headings, questions: Questions) -> None:
    """Asks for --only where an unmapped column says that rows are not (yet) money."""
    for column in survey.watched:
        found = [text for text in column.values if folded(text) in NOT_MONEY]
        if not found:
            continue
        name = headings.named(column.index)
        kept = {folded(text): text.strip() for text in column.values if text not in found}
        if not kept:
            kept = {folded(text): text.strip() for text in found}
        answer: list[str] = []
        for text in kept.values():
            answer += ["--only", f"{name}={text}"]
        questions.ask(
            f"the column {quoted(name)} has {listed(text.strip() for text in found)}: say which "
            "rows are money with --only COLUMN=VALUE",
            *answer,
            line=min(line for text in found for line in column.values[text].values()),
            column=column.index,
        )

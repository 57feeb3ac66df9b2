"""Decides which way money goes: by the sign of a number, by its column, or by a word."""

from collections import abc
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from itertools import product

from finance_api.importers.clauses import Clause, Fact, Says, Topic, clause
from finance_api.importers.csv.cells import (
    AMOUNT,
    BLANK,
    IN,
    OUT,
    Signs,
    SignWords,
    sign_option,
    word_of,
)
from finance_api.importers.csv.guess.evidence import Survey, Watched
from finance_api.importers.csv.headings import Headings
from finance_api.importers.csv.mapping import POSITIVE
from finance_api.importers.csv.plan import Plan
from finance_api.importers.csv.profile import shown
from finance_api.importers.csv.vocabulary import (
    DIRECTIONS,
    NEITHER,
    REPAID,
    YES_OR_NO,
    are_card_payments,
    directions_in,
    folded,
    heading_words,
    is_owned,
    is_repaid,
    looks_like_card,
    names_card,
    role_fit,
)
from finance_api.importers.interface import OWED, OWNED, Choice, ImportRefused, Questions
from finance_api.importers.options import ImportOptions

#: For up to this many unknown words, there is an answer for each combination of their directions.
_COMBINED = 3
#: Words of headings of columns that say yes or no.
_WAYS = REPAID | DIRECTIONS.keys()
#: A column of directions has at most this many words.
_FEW = 12
_MONEY = {OUT: clause(Says.MONEY_OUT), IN: clause(Says.MONEY_IN)}
_SIDES = {OUT: clause(Says.DEBIT_COLUMN), IN: clause(Says.CREDIT_COLUMN)}


#: How many rows are weighed against the signs of their amounts.
_WEIGHED = 200

#: A row's money, negative if it goes out, and its cells.
SignedRow = tuple[int, Sequence[str]]

#: Reads at most this many rows on trial; None: all. Returns whether the balances say what is owed
#: (None: there are no balances, or they do not fit), and these rows.
Trial = Callable[[Signs, int | None], tuple[bool | None, list[SignedRow]]]


@dataclass
class Directions:
    """Decides what the signs of amounts mean, from the kinds of amounts in the rows.

    trial: see `Trial`; None if the balances cannot be tested. balances: returns line -> direction
    as the balances show it, the first line that they leave open, and whether they may be what is
    owed; or None if the balances do not follow the amounts.
    doubt: why positive amounts may be money going out, and the choices; None without a doubt.
    """

    plan: Plan
    survey: Survey
    questions: Questions
    trial: Trial | None
    balances: Callable[[], tuple[abc.Mapping[int, int], int | None, bool] | None]
    doubt: tuple[Clause, list[Choice]] | None = None

    def decide(self) -> Signs:
        """Return what signs mean; ask if the file leaves it open."""
        survey, questions = self.survey, self.questions
        asked = len(questions.asked)
        if survey.words is not None and survey.words.unknown:
            _ask_for_words(survey.words, self.plan.headings, questions)
        signs = self._of_signs()
        if any(place != AMOUNT for place, _ in survey.kinds):
            signs = _of_sides(self.plan, survey, questions, self.trial)
        # Balances may agree with words against signs: they are tried once nothing else is open.
        is_late = self.trial is None and self.plan.rows is None and "balance" in self.plan.columns
        if len(questions.asked) == asked and not (signs.by_line or is_late):
            choices = [] if self.doubt is None else self.doubt[1]
            _ask_about_contradictions(self.plan, survey, signs, questions, choices)
        if len(questions.asked) == asked and self.doubt is not None:
            fact, choices = self.doubt
            questions.ask(fact, *choices, line=self.plan.headings.line)
        return signs

    def _of_signs(self) -> Signs:
        """Return what the signs in one column of amounts mean."""
        plan, kinds = self.plan, self.survey.kinds
        positive = plan.mapping.positive
        signs = Signs({AMOUNT: _rule(-1 if positive == "out" else 1)})
        if plan.rows is not None or (AMOUNT, 1) not in kinds or any(place for place, _ in kinds):
            return signs
        if not {(AMOUNT, -1), (AMOUNT, -2)}.isdisjoint(kinds):
            return signs if positive is not None else self._weighed(signs)
        by_row = self.balances()
        if by_row is not None:
            ways, line, may_be_debt = by_row
            signs = Signs(signs.rules, ways)
            remark = "the balances show whether each amount comes in or goes out"
            self.questions.remarks.append(remark)
            if may_be_debt:
                choices = _what_balances_mean(ways, line)
                self.doubt = clause(Topic.UNSIGNED_BALANCES_OF_CARD), choices
            elif line is not None and not plan.says_positive:
                fact = clause(Topic.UNSIGNED_WITHOUT_BALANCE, line=line)
                # Most likely, its money goes the way of most others.
                either = _either_way(line)[:: -1 if sum(ways.values()) < 0 else 1]
                self.questions.ask(fact, *either, line=line)
        elif positive is None and (AMOUNT, 2) in kinds:
            signs = self._turned("some amounts are marked as credits, so the others go out")
        elif positive is None:
            # Hardly any file has only what comes in.
            either = _either_way(self.survey.kinds[AMOUNT, 1])
            either = either if is_owned(*self._names()) else either[::-1]
            _ask_what_unsigned_means(self.survey, plan.headings, self.questions, either)
        return signs

    def _turned(self, remark: str) -> Signs:
        self.questions.remarks.append(remark)
        return Signs({AMOUNT: _rule(-1)})

    def _names(self) -> list[str]:
        """Return the texts that may name a card: headings, accounts, lines above the headings."""
        plan = self.plan
        accounts = [text or "" for account in self.survey.accounts for text in account]
        above = [text for label, texts in plan.table.above for text in (label, *texts)]
        return [*(plan.headings.texts or ()), *accounts, *above, plan.mapping.account or ""]

    def _weighed(self, signs: Signs) -> Signs:
        """Weigh the signs of amounts against balances, words, and what cards have."""
        plan, survey = self.plan, self.survey
        debt, rows = (None, []) if self.trial is None else self.trial(signs, _WEIGHED)
        sides = [[cells for units, cells in rows if units * way > 0] for way in (1, -1)]
        are_most = len(sides[0]) > len(sides[1])
        names = self._names()
        is_card = names_card(*names)
        said: list[str] = []
        directed: list[int] = []
        for column in survey.watched:
            ways = _known(column.values, column.heading)
            agreement = [ways.get(folded(cells[column.index]), 0) * units for units, cells in rows]
            directed += filter(None, agreement)
            if 0 in agreement or not rows:
                continue
            turned = sum(product < 0 for product in agreement)
            if turned * 2 < len(rows):
                # The words prove the signs.
                return signs
            is_proof = debt or (debt is None and is_card)
            if is_proof and turned == len(rows) and len(set(ways.values())) > 1:
                which = "balances and words" if debt else "words and the card"
                return self._turned(f"positive amounts are money going out: {which} show it")
            said.append(plan.headings.named(column.index))
        has_number = not is_card and not {"account", "accountNumber"}.isdisjoint(plan.columns)
        are_many = len(sides[0]) > 2 * len(sides[1])
        is_open = is_card or not any(is_owned(*cells) for cells in (names, *sides[0]))
        topic = Topic.MOST_POSITIVE
        if debt is not None:
            topic = Topic.BALANCES_OF_CARD
            # Balances that rise by what is spent are what is owed, and prove nothing.
            is_open = debt or (is_open and are_many and not has_number)
            is_open = is_open or looks_like_card(plan.mapping.account or "", *sides)
        elif (
            is_card
            and are_most
            and all(map(is_repaid, sides[1]))
            and (max(directed, default=1) < 0 or are_card_payments(sides[1]))
        ):
            return self._turned("positive amounts are money going out: the others repay a card")
        elif not (is_open and (are_many if has_number else are_most)):
            is_open, topic = are_card_payments(sides[1]), Topic.ONLY_PAYMENTS
        if is_open or said:
            choices = _either_way(survey.kinds[AMOUNT, 1], "" if debt is None else plan.balance)
            choices = choices[::-1] if are_most or topic is Topic.ONLY_PAYMENTS else choices
            fact = clause(topic)
            for name in said:
                fact = clause(Topic.WORDS_AGAINST_SIGNS, column=name)
                meaning = clause(Says.ONLY_WORDS, column=name)
                choices.append(Choice({"sign": name, "mixed_signs": "ignore"}, meaning))
            self.doubt = fact, choices
        return signs


def _either_way(line: int, balance: str = "") -> list[Choice]:
    also: ImportOptions = {"balance": balance, "invert": None} if balance else {}
    return [
        Choice({"positive": name, **also}, _shown_way(line, way))
        for name, way in (("in", IN), ("out", OUT))
    ]


def _what_balances_mean(ways: abc.Mapping[int, int], line: int | None) -> list[Choice]:
    """Return choices for what rising balances mean, and for the row that no balance precedes.

    ways: as `Signs.by_line`, if rising balances are money coming in. line: of that row, if any.
    """
    (known, way), *_ = ways.items()
    choices = []
    for meaning, rise in ((OWED, -1), (OWNED, 1)):
        means = Choice({"card_balance": meaning}, _shown_way(known, way * rise))
        choices += [
            Choice({**means.changes, **either.changes}, clause(Says.BOTH, both=both))
            for either in ([] if line is None else _either_way(line)[::-1])
            for both in [(means.meaning, either.meaning)]
        ] or [means]
    return choices


def _ask_for_words(words: SignWords, headings: Headings, questions: Questions) -> None:
    """Ask about words in the column of --sign that have no known direction."""
    name = headings.named(words.column)
    texts = (*words.named, *words.seen)
    choices = _choices_of_words(name, texts, {**_known(texts, name), **words.ways})
    unknown, seen = tuple(words.unknown), tuple(words.seen)
    fact = clause(Topic.WORDS_NOT_KNOWN, unknown=unknown, column=name, words=seen)
    questions.ask(fact, *choices, line=min(words.unknown.values()), column=words.column)


def _ask_what_unsigned_means(
    survey: Survey, headings: Headings, questions: Questions, ways: Sequence[Choice]
) -> None:
    """ways: the choices for amounts of which nothing says the direction."""
    line = survey.kinds[AMOUNT, 1]
    column = next((c for c in survey.watched if _may_say_direction(c)), None)
    if column is None:
        questions.ask(clause(Topic.UNSIGNED), *ways, line=line)
        return
    name = headings.named(column.index)
    texts = {text.strip(): None for text in column.values}
    known = _known(texts, name)
    choices = _choices_of_words(name, texts, known)
    unknown = (v for text, v in column.values.items() if word_of(text) not in known)
    line = min((min(lines.values()) for lines in unknown), default=line)
    if not _is_certain(column.values):
        for way in ways:
            meaning = clause(Says.NO_WAY_BUT, column=name, way=way.meaning)
            choices.append(Choice({"ignore": (name,), **way.changes}, meaning))
    fact = clause(Topic.UNSIGNED_WITH_WORDS, column=name, words=tuple(texts))
    questions.ask(fact, *choices, line=line, column=column.index)


def _may_say_direction(column: Watched) -> bool:
    """Return whether a column has words for directions, or a heading that names directions."""
    words, heading = {folded(text) for text in column.values} - {""}, column.heading
    is_named = role_fit("way", heading) > 0 or set(heading_words(heading)) == words
    are_letters = len(words) == 2 and all(len(word) == 1 and word.isalpha() for word in words)
    are_letters = are_letters and role_fit("quantity", heading) < 2
    return (
        bool(directions_in(words, heading))
        or (2 <= len(words) <= _FEW and (is_named or are_letters))
        or _are_opposite(column)
    )


def _are_opposite(column: Watched) -> bool:
    """Return whether a column has two signs, such as arrows or 1 and -1; or yes and no, or blank,
    below a heading such as "Refund".
    """
    words = {folded(text) for text in column.values}
    are_signs = not any(map(str.isalnum, "".join(words))) or words == {"1", "-1"}
    is_named = words <= YES_OR_NO | {""} and is_repaid(heading_words(column.heading), _WAYS)
    return len(words) == 2 and ((are_signs and "" not in words) or is_named)


def _known(texts: Iterable[str], heading: str) -> dict[str, int]:
    return directions_in({word_of(text) for text in texts} - {""}, heading)


def _is_certain(texts: Iterable[str]) -> bool:
    """Return whether all texts are words for directions, and can hardly mean anything else."""
    words = {folded(text) for text in texts}
    ways = {DIRECTIONS.get(word) for word in words}
    return None not in ways and (len(ways) == 2 or any(len(word) > 2 for word in words))


def _choices_of_words(
    name: str, texts: Iterable[str], known: abc.Mapping[str, int]
) -> list[Choice]:
    """Return choices under which each unknown word means money out, money in, or no transaction.

    An answer names all words, including the words of earlier files; words of later files stay open.
    If there are more than `_COMBINED` unknown words, it names only the first; the next question is
    about the rest.
    """
    words = {word_of(text): text.strip() or BLANK for text in texts}
    unknown = [word for word in words if word not in known]
    kept = [word for word in words if word in known]
    is_usual = all(known[word] == DIRECTIONS.get(word) for word in kept)
    sign = name if is_usual else sign_option(name, words.values(), known)
    choices = []
    if not unknown and is_usual:
        return [Choice({"sign": name}, clause(Says.SAYS_WAY, column=name))]
    unknown, others = unknown[:_COMBINED], unknown[_COMBINED:]
    for ways in _possible_ways(name, unknown, known):
        are = tuple(clause(Says.WORD_IS, word=words[w], money=_MONEY[ways[w]]) for w in ways)
        both = sign_option(name, words.values(), {**known, **ways})
        choices.append(Choice({"sign": both}, clause(Says.WORDS_ARE, ways=are)))
    if not others and len(unknown) < len(kept):
        only = tuple(f"{name}={word and words[word]}" for word in kept)
        unclear = clause(Says.NOT_TRANSACTION, text=tuple(words[word] for word in unknown))
        choices.append(Choice({"sign": sign, "only": only}, unclear))
    if unknown == [""]:
        meaning = clause(Says.REPEATS_ABOVE, columns=(name,))
        choices.append(Choice({"sign": sign, "fill_down": (name,)}, meaning))
    if {*unknown} <= NEITHER | {""}:
        # A row that says no direction may be a move within the account.
        choices.sort(key=lambda choice: "only" not in choice.changes)
    return choices


def _possible_ways(
    heading: str, unknown: Sequence[str], known: abc.Mapping[str, int]
) -> list[dict[str, int]]:
    """Return the ways that unknown words may mean, the most likely first: not all words mean the
    same, and of two words that make the heading, the first one means money out.
    """
    likely = {word: IN if is_repaid([word]) else OUT for word in unknown}
    if not known and len(unknown) == 2 and {*heading_words(heading)} == {*unknown}:
        likely = dict(zip(heading_words(heading), (OUT, IN), strict=True))
    possible = [
        dict(zip(unknown, ways, strict=True)) for ways in product((OUT, IN), repeat=len(unknown))
    ]
    return sorted(
        possible,
        key=lambda ways: (
            len({*ways.values(), *known.values()}) < 2,
            sum(ways[word] != likely[word] for word in unknown),
        ),
    )


def _shown_way(line: int, direction: int) -> Clause:
    return clause(Says.COMES_IN if direction > 0 else Says.GOES_OUT, line=line)


def _ask_about_contradictions(
    plan: Plan, survey: Survey, signs: Signs, questions: Questions, doubt: Sequence[Choice]
) -> None:
    """Ask about words of unmapped columns that contradict the signs.

    doubt: the choices that say what positive amounts mean, if that is open too.
    """
    mapping = plan.mapping
    for column in survey.watched:
        ways = _known(column.values, column.heading)
        # Tuples (text, its direction, direction of an amount beside it, first such line).
        directed = [
            (text, direction, signs.direction(kind), line)
            for text, lines in column.values.items()
            if (direction := ways.get(folded(text), 0))
            for kind, line in lines.items()
        ]
        words = {folded(text) for text, *_ in directed}
        if column.index in plan.inferred.explained:
            continue
        if len(words) == 1 and len({way for *_, way, _ in directed} - {0}) > 1:
            # A single word beside money of both directions says nothing about direction.
            continue
        wrong = [(text, way, line) for text, direction, way, line in directed if way == -direction]
        if not wrong:
            continue
        text, way, line = wrong[0]
        name = plan.headings.named(column.index)
        facts: dict[str, Fact] = {"column": name, "word": text.strip(), "money": _MONEY[way]}
        if plan.rows is not None and plan.profile is not None:
            facts["profile"] = shown(plan.profile)
            raise ImportRefused(Clause(Topic.WORD_AGAINST_PROFILE, facts), line)
        is_signed = (AMOUNT, -1) in survey.kinds
        topic, choices = _otherwise(name, column, plan, ways, is_signed=is_signed)
        if is_signed and all(way in (0, -direction) for _, direction, way, _ in directed):
            other = "in" if mapping.positive == "out" else "out"
            choices.append(Choice({"positive": other, "invert": None}, _shown_way(line, -way)))
        elif is_signed and "sign" not in plan.columns:
            # If a word is beside one sign only, its money is no refund: the sign says nothing.
            ignored: ImportOptions = {"mixed_signs": "ignore"}
            without = [each._replace(changes={**each.changes, **ignored}) for each in choices]
            kinds = column.values.values()
            are_mixed = any(len({sign > 0 for _, sign in each if sign}) > 1 for each in kinds)
            choices = [*choices, *without] if are_mixed else [*without, *choices]
        if is_signed or not _is_certain(column.values) or "sign" in plan.columns or mapping.debit:
            choices += [
                choice
                if choice.changes.get("sign") == name
                else choice._replace(changes={**choice.changes, "ignore": (name,)})
                for choice in doubt
            ] or [Choice({"ignore": (name,)}, clause(Says.NO_WAY, column=name))]
        questions.ask(Clause(topic, facts), *choices, line=line, column=column.index)
        return


def _otherwise(
    name: str, column: Watched, plan: Plan, ways: abc.Mapping[str, int], *, is_signed: bool
) -> tuple[Topic, list[Choice]]:
    """Return the topic and the choices for a user who trusts the column.

    If the amounts have signs, --sign is offered only if at least half of the column's words are
    directions.
    """
    mapping = plan.mapping
    if mapping.debit is not None and mapping.credit is not None:
        exchanged: ImportOptions = {"debit": mapping.credit, "credit": mapping.debit}
        meaning = clause(Says.OUT_IN, column=mapping.credit)
        return Topic.WORD_AGAINST_SIDE, [Choice(exchanged, meaning)]
    topic, words = Topic.WORD_AGAINST_SIGN, {folded(text) for text in column.values}
    if is_signed and len(ways) * 2 < len(words):
        return topic, []
    given = ImportOptions() if "sign" in plan.columns else POSITIVE
    choices = _choices_of_words(name, column.values, ways)
    return topic, [choice._replace(changes={**choice.changes, **given}) for choice in choices]


def _of_sides(plan: Plan, survey: Survey, questions: Questions, trial: Trial | None) -> Signs:
    possible = {place: ways for place in (OUT, IN) if (ways := _ways(survey, place))}
    names = _MONEY if "sign" in plan.columns else _SIDES
    chosen = plan.mapping.mixed_signs
    if chosen is not None:
        return _signs(dict.fromkeys(possible, chosen))
    for place in (OUT, IN):
        if (place, -1) in survey.kinds and place not in possible:
            remark = clause(Says.ONLY_NEGATIVE, side=names[place], money=_MONEY[place])
            questions.remarks.append(remark)
    trials = [dict(zip(possible, ways, strict=True)) for ways in product(*possible.values())]
    fitting = []
    if possible and trial is not None:
        fitting = [ways for ways in trials if trial(_signs(ways), None)[0] is False]
    if len(fitting) == 1:
        for place, way in fitting[0].items():
            questions.remarks.append(clause(Says.FITS_ONLY, side=names[place], way=way))
        return _signs(fitting[0])
    if possible:
        place = next(iter(possible))
        _ask_what_signs_mean(place, names[place], possible[place], survey, questions)
    return _signs(dict.fromkeys(possible, "plus"))


def _ask_what_signs_mean(
    place: int, side: Clause, possible: Iterable[str], survey: Survey, questions: Questions
) -> None:
    fact = clause(Topic.SIDE_HAS_OTHER, side=side, word="CR" if place == OUT else "DR")
    if "minus" in possible:
        fact = clause(Topic.SIDE_HAS_BOTH, side=side)
    lines = _lines(survey, place)
    choices = []
    for way in possible:
        trial = _signs({place: way})
        ways = tuple(_shown_way(at, trial.direction((place, sign))) for sign, at in lines.items())
        choices.append(Choice({"mixed_signs": way}, clause(Says.BOTH, both=ways)))
    questions.ask(fact, *choices, line=max(lines.values()))


def _lines(survey: Survey, place: int) -> dict[int, int]:
    """Return sign -> the first line that has it at this place."""
    return {
        sign: survey.kinds[place, sign] for sign in (1, -1, 2, -2) if (place, sign) in survey.kinds
    }


def _ways(survey: Survey, place: int) -> tuple[str, ...]:
    """Return what signs at this place may mean; nothing if all amounts follow the column."""
    signs = _lines(survey, place)
    if {1, -1} <= signs.keys():
        return ("plus", "minus", "ignore")
    return ("plus", "ignore") if -2 * place in signs else ()


def _signs(ways: abc.Mapping[int, str]) -> Signs:
    """Return the signs of the two sides. ways: side with both signs -> its --mixed-signs."""
    follows = {"plus": 1, "minus": -1}
    rules = {}
    for place in (OUT, IN):
        way = follows.get(ways.get(place, ""))
        rules[place] = dict.fromkeys((1, -1, 2, -2), place) if way is None else _rule(place * way)
    return Signs(rules)


def _rule(positive: int) -> dict[int, int]:
    """Return the rule of a column whose signs count. positive: 1 if it means money in, else -1."""
    return {1: positive, -1: -positive, 2: 1, -2: -1}

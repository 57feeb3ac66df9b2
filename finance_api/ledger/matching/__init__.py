"""Decides which entry of a file equals which stored record.

The rules in `RULES` decide, in that order. Each rule looks at the entries that earlier rules left
undecided, and yields pairs and questions.
"""

from collections.abc import Callable, Iterator

from finance_api.importers.interface import Question
from finance_api.ledger.matching.model import Outcome, Pair
from finance_api.ledger.matching.open_rows import OpenRows, grouped, stored_described
from finance_api.ledger.matching.reused_ids import look_for_reused_ids
from finance_api.ledger.matching.rules.batches import pair_own_batches
from finance_api.ledger.matching.rules.corrected import pair_corrected
from finance_api.ledger.matching.rules.moved import pair_moved
from finance_api.ledger.matching.rules.other_source import pair_other_sources
from finance_api.ledger.matching.rules.same_content import (
    check_parts_of_days,
    pair_hashed_contents,
    pair_same_contents,
)
from finance_api.ledger.matching.rules.same_id import pair_same_ids
from finance_api.ledger.matching.rules.same_instant import pair_same_instants
from finance_api.ledger.matching.rules.within_file import (
    act_on_corrections,
    set_corrections_aside,
    skip_repeated,
)

Rule = Callable[[OpenRows], Iterator[Pair | Question]]

#: The rules that matter even if the user has no records.
_OF_THE_FILE: tuple[Rule, ...] = (skip_repeated, set_corrections_aside, act_on_corrections)
RULES: tuple[Rule, ...] = (
    # First, so that the other rules see a repeated entry only once.
    skip_repeated,
    set_corrections_aside,
    # An id with the same content is the surest sign.
    pair_same_ids,
    # Entries with matching ids are decided by now; the rest show whether the bank reuses ids.
    look_for_reused_ids,
    # The content decides for entries without an id, or with an unreliable one.
    pair_same_contents,
    pair_same_instants,
    check_parts_of_days,
    pair_hashed_contents,
    # Before pair_corrected, which would take a part of a batch for a correction of the whole.
    pair_own_batches,
    pair_corrected,
    # A record that the file lacks may equal an entry that no rule has paired yet.
    pair_moved,
    # Late, because any earlier rule may decide the entry that another entry corrects.
    act_on_corrections,
    # Last, because records of the file's own source are more likely matches.
    pair_other_sources,
)


def match(rows: OpenRows, *, others: bool) -> None:
    """Decide every entry. ``rows.questions`` gets the questions that only the user can answer.

    others: whether to match records of other sources.
    """
    for rule in _OF_THE_FILE if rows.reader.is_empty else RULES:
        if others or rule is not pair_other_sources:
            for found in rule(rows):
                rows.settle(found)
    _name_missing(rows)
    for entry in rows.undecided:
        entry.outcome = Outcome.NEW


def _name_missing(rows: OpenRows) -> None:
    """Remark on stored records that the file should have: the bank may have changed them."""
    paired = {entry.candidate for entry in rows.entries}
    missing = grouped(
        (c for c in rows.free() if c.inner and not c.is_void and c not in paired),
        lambda candidate: candidate.account,
    )
    for found in missing.values():
        rows.remarks.append(
            f"the file covers whole days of {len(found)} stored records but lacks them, such as "
            f"{stored_described(found[0])}"
        )

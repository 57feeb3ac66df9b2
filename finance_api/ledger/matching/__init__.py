"""Which entry of a file is which stored record.

Rules decide, in the order in which `match` calls them. A rule looks at what the rules before it
have left undecided.
"""

from finance_api.ledger.matching.model import Outcome
from finance_api.ledger.matching.open_rows import OpenRows, grouped
from finance_api.ledger.matching.reused_ids import look_for_reused_ids
from finance_api.ledger.matching.rules.batches import pair_own_batches
from finance_api.ledger.matching.rules.corrected import pair_corrected
from finance_api.ledger.matching.rules.moved import pair_moved
from finance_api.ledger.matching.rules.other_source import pair_other_sources
from finance_api.ledger.matching.rules.references import act_on_corrections, set_corrections_aside
from finance_api.ledger.matching.rules.repeated import skip_repeated
from finance_api.ledger.matching.rules.same_content import (
    check_parts_of_days,
    pair_hashed_contents,
    pair_same_contents,
)
from finance_api.ledger.matching.rules.same_id import pair_same_ids
from finance_api.ledger.matching.rules.same_instant import pair_same_instants
from finance_api.ledger.matching.wording import stored_described


def match(rows: OpenRows, *, others: bool, match_days: int | None) -> None:
    """Decides every entry; what only the user can answer is in ``rows.questions``.

    others: whether records of other sources are matched.
    """
    # What the file says twice is one entry for all other rules.
    skip_repeated(rows)
    set_corrections_aside(rows)
    # An id with the same content is the surest sign.
    pair_same_ids(rows)
    if rows.candidates:
        # What ids are worth is known only when those that agree are out of the way.
        look_for_reused_ids(rows)
        # Of what has no id, or none to rely on, the content decides.
        pair_same_contents(rows)
        pair_same_instants(rows)
        check_parts_of_days(rows)
    pair_hashed_contents(rows)
    if rows.candidates:
        # Before corrections, which would take a part of a batch for its changed whole.
        pair_own_batches(rows)
        pair_corrected(rows)
        # What the file lacks may be what it has and nothing else explains.
        pair_moved(rows, match_days)
    # What an entry corrects may have been decided by any rule before.
    act_on_corrections(rows)
    _name_missing(rows)
    # Records of its own source are nearer than those of others.
    if others:
        pair_other_sources(rows, match_days)
    for entry in rows.undecided:
        entry.outcome = Outcome.NEW


def _name_missing(rows: OpenRows) -> None:
    """Records that the file should have: the bank may have changed or taken them back."""
    paired = {entry.candidate for entry in rows.entries}
    missing = grouped(
        (c for c in rows.free() if c.inner and not c.is_void and c not in paired),
        lambda candidate: candidate.account,
    )
    for found in missing.values():
        rows.remarks.append(
            f"{len(found)} stored of days that the file has whole, and not in it: such as "
            f"{stored_described(found[0])}"
        )

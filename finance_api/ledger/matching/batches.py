"""A batch and its parts: one statement tells an entry as a whole, another one in its parts."""

from sqlite3 import Row as Found

from finance_api.importers.interface import joined_key
from finance_api.ledger.matching.workspace import SUM, Outcome, Workspace, total
from finance_api.values.number import MAX_UNITS

UNDECIDED = "outcome IS NULL AND corrects IS NULL"


def pair_batches(
    workspace: Workspace, stored: str, whole: Outcome, parts: Outcome, *, of_one_source: bool
) -> None:
    """Decides parts of the file that are a stored whole, and entries whose parts are stored.

    stored: which records. whole: what becomes of parts whose whole is stored; parts: of an entry
    whose parts are. of_one_source: whether the sum and the day alone do not show it.
    """
    _pair_parts_of_the_file(workspace, stored, whole, of_one_source)
    _pair_stored_parts(workspace, stored, parts, of_one_source)


def _is_certain(batch: str, bank_id: str | None, inner: int) -> bool:
    """Whether they have one id; or the file has the day whole, and not what is stored."""
    return bool(inner) or (bank_id is not None and batch.startswith(f"{joined_key(bank_id)}/"))


def _listed(workspace: Workspace, batches: str, searched: str) -> list[Found]:
    """The batches that a statement selects. searched: the table where each is looked for."""
    found = list(workspace.rows(batches))
    if found:
        index = f"{searched}_by_amount ON {searched} (account, amount, day)"
        workspace.run(f"CREATE INDEX IF NOT EXISTS {index}")
    return found


def _pair_parts_of_the_file(
    workspace: Workspace, stored: str, outcome: Outcome, of_one_source: bool
) -> None:
    """Parts of one entry, whose sum a record of their day is, are this record as a whole."""
    if workspace.one("SELECT 1 FROM entries WHERE batch IS NOT NULL LIMIT 1") is None:
        return
    batches = (
        f"SELECT account, batch, min(day) AS day, max(day) AS last_day, {SUM} FROM entries "
        f"WHERE batch IS NOT NULL AND coalesce(outcome, 0) <> {int(Outcome.DUPLICATE)} "
        "GROUP BY account, batch HAVING max(outcome IS NOT NULL) = 0 ORDER BY min(n)"
    )
    for batch in _listed(workspace, batches, "stored"):
        if batch["day"] != batch["last_day"] or abs(total(batch)) > MAX_UNITS:
            continue
        found = workspace.rows(
            f"SELECT k, bank_id, inner FROM stored WHERE {stored} AND NOT taken AND account = ? "
            "AND amount = ? AND day = ? ORDER BY k",
            batch["account"],
            total(batch),
            batch["day"],
        )
        k = next(
            (k for k, *about in found if not of_one_source or _is_certain(batch["batch"], *about)),
            None,
        )
        if k is None:
            continue
        workspace.run(
            "UPDATE entries SET outcome = ?, k = ? WHERE account = ? AND batch = ? "
            "AND outcome IS NULL",
            outcome,
            k,
            batch["account"],
            batch["batch"],
        )
        workspace.run("UPDATE stored SET taken = 1 WHERE k = ?", k)


def _pair_stored_parts(
    workspace: Workspace, stored: str, outcome: Outcome, of_one_source: bool
) -> None:
    """An entry that is the sum of the stored parts of one is these records as a whole."""
    if workspace.one("SELECT 1 FROM stored WHERE batch IS NOT NULL LIMIT 1") is None:
        return
    workspace.run("CREATE TABLE IF NOT EXISTS parts (n INT, k INT)")
    batches = (
        f"SELECT account, source, batch, day, {SUM}, min(k) AS k, min(inner) AS inner FROM stored "
        f"WHERE {stored} AND batch IS NOT NULL GROUP BY account, source, batch "
        "HAVING max(taken) = 0 AND min(day) = max(day) ORDER BY min(k)"
    )
    for batch in _listed(workspace, batches, "entries"):
        if abs(total(batch)) > MAX_UNITS:
            continue
        found = workspace.rows(
            f"SELECT n, bank_id FROM entries WHERE {UNDECIDED} AND account = ? AND amount = ? "
            "AND day = ? ORDER BY n",
            batch["account"],
            total(batch),
            batch["day"],
        )
        n = next(
            (
                n
                for n, bank_id in found
                if not of_one_source or _is_certain(batch["batch"], bank_id, batch["inner"])
            ),
            None,
        )
        if n is None:
            continue
        parts = batch["account"], batch["source"], batch["batch"]
        where = f"account = ? AND source = ? AND batch = ? AND {stored}"
        workspace.run(
            f"INSERT INTO parts SELECT ?, k FROM stored WHERE {where} ORDER BY k", n, *parts
        )
        workspace.run(f"UPDATE stored SET taken = 1 WHERE {where}", *parts)
        workspace.run("UPDATE entries SET outcome = ?, k = ? WHERE n = ?", outcome, batch["k"], n)

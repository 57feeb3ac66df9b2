"""The JSON of a plan: which members of its objects are read.

Based on version 1.86 of the API's description, https://api.ynab.com/v1.
"""

from sys import intern
from typing import Any, BinaryIO

from finance_api.importers.books.json_stream import JsonDamaged, JsonStream
from finance_api.importers.books.reading import row_type
from finance_api.importers.interface import ImportRefused, quoted

#: Objects that wrap the plan. It was called a budget until version 1.78.
_WRAPPERS = ("data", "plan", "budget")
_DELETED = "deleted:bool?"
_ROW = "payee_id? category_id? memo? flag_color? flag_name? transfer_account_id?"
#: The lists of a plan, and the members of their objects that are read: ``amount:int memo?`` are a
#: whole number, and a text that may be missing. Amounts are thousandths of the currency's unit.
_READ = {
    "accounts": f"id name type on_budget:bool balance:int closed:bool? note? {_DELETED}",
    "payees": "id name",
    "payee_locations": "id",
    "category_groups": f"id name hidden:bool? internal:bool? {_DELETED}",
    "categories": (
        f"id category_group_id name hidden:bool? internal:bool? note? goal_type? {_DELETED}"
    ),
    "months": f"month categories:list note? {_DELETED}",
    "transactions": (
        f"id date amount:int account_id cleared? approved:bool? import_id? "
        f"transfer_transaction_id? {_ROW} {_DELETED}"
    ),
    "subtransactions": (f"id transaction_id amount:int transfer_transaction_id? {_ROW} {_DELETED}"),
    "scheduled_transactions": f"id date_first frequency amount:int account_id {_ROW} {_DELETED}",
    "scheduled_subtransactions": f"id scheduled_transaction_id {_DELETED}",
}
_TYPES = {"": str, "int": int, "bool": bool, "list": list}


class _Rows:
    """The objects of a list as named tuples. members: as in _READ."""

    def __init__(self, title: str, members: str) -> None:
        self._title = title
        self._members: list[tuple[str, type, bool]] = []
        for each in members.split():
            name, _, kind = each.removesuffix("?").partition(":")
            self._members.append((name, _TYPES[kind], each.endswith("?")))
        self._tuple = row_type(title, [name for name, *_ in self._members])

    def row(self, element: Any) -> Any:
        """Return the members of an object that are read. Raises ImportRefused."""
        if not isinstance(element, dict):
            raise ImportRefused(
                f"{self._title} has {quoted(str(element))}, where YNAB has an object"
            )
        values: list[Any] = []
        for name, kind, may_be_missing in self._members:
            value = element.get(name)
            is_fit = isinstance(value, kind) and (kind is bool or not isinstance(value, bool))
            if not (is_fit or (value is None and may_be_missing)):
                shown = "nothing" if value is None else quoted(str(value))
                raise ImportRefused(
                    f"{name} is {shown} in {quoted(str(element.get('id', element.get('month'))))} "
                    f"of {self._title}, which YNAB does not write"
                )
            values.append(intern(value) if isinstance(value, str) else value)
        return self._tuple._make(values)


_ROWS = {title: _Rows(title, members) for title, members in _READ.items()}
_IN_MONTHS = _Rows("months", "id budgeted:int activity:int deleted:bool?")
NO_GROUP = _ROWS["category_groups"].row({"id": "", "name": ""})


class Plan:
    """A plan that was read to its end. rows: by the name of the list, without deleted ones."""

    def __init__(self, stream: BinaryIO) -> None:
        """Raises ImportRefused."""
        self.id = ""
        self.currency: str | None = None
        self.rows: dict[str, list[Any]] = {title: [] for title in _ROWS}
        source = JsonStream(stream)
        try:
            self._read_members(source)
            source.end()
        except (JsonDamaged, RecursionError):
            raise ImportRefused(
                "the file is damaged or cut short: save the answer of YNAB's API again"
            ) from None
        if not (self.id and self.rows["accounts"]):
            raise ImportRefused(
                "the file has no plan with accounts: ask YNAB's API for a whole plan, with GET "
                "/v1/plans/{plan_id}"
            )

    def _read_members(self, source: JsonStream) -> None:
        for name in source.members():
            if name in _WRAPPERS:
                self._read_members(source)
            elif rows := _ROWS.get(name):
                for row in map(rows.row, source.elements()):
                    if name == "months":
                        row = row._replace(categories=list(map(_IN_MONTHS.row, row.categories)))
                    if not getattr(row, "deleted", False):
                        self.rows[name].append(row)
            elif name == "id":
                if self.id:
                    raise ImportRefused("the file has two plans: give one plan a file")
                value = source.value()
                self.id = value if isinstance(value, str) else ""
            elif name == "currency_format":
                value = source.value()
                self.currency = value.get("iso_code") if isinstance(value, dict) else None
            else:
                source.skip()

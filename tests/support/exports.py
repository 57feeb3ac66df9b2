"""Users with many records, and their exports."""

from decimal import Decimal

from finance_api.storage.interface import STREAMED_ROWS
from support.native_rows import account, category, record, uid

#: More records than a page of a list has, and than a stream reads at once.
COUNT = STREAMED_ROWS + 120


def many(count=COUNT):
    return [
        account(),
        account(2, name="CHF", currencyCode="CHF"),
        category(1),
        category(2, name="Bread", parentId=uid("Category", 1)),
        *(
            record(
                n,
                accountId=uid("Account", 1 + n % 2),
                amount=Decimal(n * 37 % 1_000) / 100 - 5,
                recordDate=f"2026-0{1 + n % 3}-{1 + n % 28:02}T{n % 24:02}:00:00Z",
                payee=f"Shop {n % 7}" if n % 3 else None,
                note=("=odd", "+1;-2", 'a "b"\n', "é😀")[n % 4],
                categoryId=uid("Category", 1 + n % 2),
            )
            for n in range(1, count + 1)
        ),
    ]


def export(client, path, **query):
    answer = client.get(f"export/{path}", **query)
    assert answer.status_int == 200, answer.text
    return answer

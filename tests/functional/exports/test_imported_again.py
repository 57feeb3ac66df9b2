"""Exported records come back as the same records, or are refused with a pointer to the export that
can come back.
"""

import csv
import io
import random
from itertools import product

import pytest

from finance_api.importers.csv import load_profiles
from finance_api.importers.interface import ImportRefused
from finance_api.ledger.importing import import_file
from finance_api.ledger.orders import make_order
from finance_api.resources import RECORDS
from finance_api.resources.records import RECORD_STATES
from finance_api.serialization.values import readable_first
from support.csv_files import read, refusal
from support.ledger import IMPORT_SETTINGS
from support.native_rows import account, category, household, label, record, uid
from support.nightly import count
from support.service import on_one_storage

ENDINGS = ("csv", "xlsx")
LAYOUT = load_profiles().get("finance-api")
TEXTS = (
    *("Corner Shop", "Total", "Opening balance", "Saldo", "=1+1", "-5", "@home", "+49 30", "'tis"),
    *('a "b", c', "one\ntwo;-3", ";=x", "Straße", "日本", "2026-03-01", "Pending", "-", "N/A"),
)


def import_again(client, body, **given):
    """Import an exported file as this user's command does."""
    stream, clock = io.BytesIO(body), client.service.clock
    how = {"email": client.user.email, "now": clock.now(), "name": "records"}
    return import_file(client.service.backend, make_order(stream, given, IMPORT_SETTINGS, **how))


def records(client):
    """Return the records in a fixed order, without ids and the fields that imports do not read."""
    rows = client.exact("records", limit=100)["records"]
    rows = [{k: v for k, v in row.items() if k not in ("id", *LAYOUT.ignore)} for row in rows]
    return sorted(rows, key=repr)


def random_household(pick):
    """Return rows of a household whose accounts, categories and labels have names of their own."""
    codes = ("EUR", "EUR", "USD", "JPY", "CHF")
    accounts = [
        account(n, name=name, currencyCode=pick.choice(codes))
        for n, name in enumerate(pick.sample(("Giro", "giro", "=Cash", "Épargne", "Total"), 3), 1)
    ]
    categories = [category(n, name=f"{n} {pick.choice(TEXTS)}") for n in range(1, 4)]
    labels = [label(n, name=f"{n} {pick.choice(('home', '=trip', 'a, b'))}") for n in range(1, 4)]

    def maybe(value):
        return value if pick.random() < 0.5 else None

    rows = []
    for n in range(1, pick.randint(2, 30)):
        owner = pick.choice(accounts)
        whole = owner["currencyCode"] == "JPY"
        foreign = maybe("USD")
        rows.append(
            record(
                n,
                accountId=owner["id"],
                amount=pick.randint(-9_999, 9_999) / (1 if whole else pick.choice((1, 10, 100))),
                recordDate=f"2026-0{pick.randint(1, 3)}-{pick.randint(10, 17)}T10:00:00Z",
                payee=maybe(pick.choice(TEXTS)),
                note=maybe(pick.choice(TEXTS)),
                categoryId=maybe(pick.choice(categories)["id"]),
                labelIds=[each["id"] for each in pick.sample(labels, pick.randint(0, 3))],
                paymentType=maybe("debit_card"),
                recordState=maybe(pick.choice(RECORD_STATES)),
                valueDate=maybe("2026-03-11"),
                counterpartyAccount=maybe("DE75512108001245126199"),
                reference=maybe(pick.choice(("0012", "RF18539007", "=7"))),
                originalAmount=foreign and pick.randint(-999, 999) / 100,
                originalCurrencyCode=foreign,
            )
        )
    return [*accounts, *categories, *labels, *rows]


@on_one_storage
@pytest.mark.parametrize("ending", ENDINGS)
def test_exported_records_come_back_unharmed(service, ending):
    for seed in range(count(8, 2_000)):
        client, other = service.client(), service.client()
        client.load(*random_household(random.Random(seed)))
        body = client.get(f"export/records.{ending}").body
        report = import_again(other, body)
        expected = records(client)
        assert (report.created, records(other)) == (len(expected), expected), seed
        # Again: nothing is created or changed.
        assert not import_again(other, body).changed, seed


@on_one_storage
@pytest.mark.parametrize("ending", ENDINGS)
def test_a_list_of_records_comes_back_like_the_export(service, ending):
    client, other = service.client(), service.client()
    client.load(*household())
    import_again(other, client.get(f"records.{ending}").body)
    assert records(other) == records(client)


def test_the_profile_has_the_columns_of_the_exports():
    rows = [row.texts for row in LAYOUT.headings]
    names = tuple(field.name.lower() for field in readable_first(RECORDS.fields))
    assert rows == [names]


@on_one_storage
def test_two_accounts_of_one_name_are_not_made_one(service):
    client, other = service.client(), service.client()
    rows = [record(n, accountId=uid("Account", n)) for n in (1, 2)]
    client.load(account(1), account(2), *rows)
    with pytest.raises(ImportRefused, match="rename one of the two"):
        import_again(other, client.get("export/records.csv").body)


@on_one_storage
def test_exports_of_some_columns_are_refused_and_point_to_the_whole_export(client):
    client.load(*household())
    for columns, ending in product(
        (
            "accountId,recordDate,recordState,importId,amount",
            "id,accountName,amount,currencyCode,recordDate,payee,note,category",
            "recordDate,amount,currencyCode",
            "recordDate,amount,payee",
        ),
        ENDINGS,
    ):
        body = client.get(f"records.{ending}", fields=columns).body
        with pytest.raises(ImportRefused, match=r"import /v1/api/export/all\.ndjson instead"):
            import_again(client, body)


def test_tables_of_others_may_have_a_heading_of_the_exports():
    table = "{date},amount,{other}\n2026-03-01,-5,Shop\n"
    for date, other in (("date", "payee"), ("recordDate", "symbol"), ("date", "accountName")):
        assert read(table.format(date=date, other=other), account="X", currency="EUR")


@on_one_storage
@pytest.mark.parametrize("ending", ENDINGS)
def test_a_users_own_records_are_edited_and_not_imported(service, ending):
    client, other = service.client(), service.client()
    client.load(*household())
    import_again(other, client.get(f"export/records.{ending}").body)
    for each in (client, other):
        before = records(each)
        body = each.get(f"export/records.{ending}").body
        with pytest.raises(ImportRefused, match="finance-api records edit"):
            import_again(each, body)
        assert records(each) == before


@on_one_storage
def test_exports_without_a_few_columns_are_refused(service):
    client, other = service.client(), service.client()
    client.load(*household())
    table = list(csv.reader(client.get("export/records.csv").body.decode().splitlines()))
    for left_out in (
        ["importId"],
        ["importId", "recordState"],
        ["accountId", "categoryId", "labelIds", "transferId", "splitId", "importId"],
    ):
        out = io.StringIO()
        places = [n for n, name in enumerate(table[0]) if name not in left_out]
        csv.writer(out).writerows([row[n] for n in places] for row in table)
        with pytest.raises(ImportRefused, match="exported by finance-api"):
            import_again(other, out.getvalue().encode())


def test_columns_that_the_user_names_are_read_all_the_same():
    table = "accountId,recordDate,recordState,importId,amount\n1,2026-03-01,cleared,2,-5\n"
    assert "exported by finance-api" in refusal(table).reason
    ignored = ("accountId", "recordState", "importId")
    columns = {"recordDate": "recordDate", "amount": "amount"}
    (found,) = read(table, columns=columns, ignore=ignored, account="X", currency="EUR")
    assert len(found.entries) == 1

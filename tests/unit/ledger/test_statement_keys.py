"""An account remembers its names in statements, so that no money is counted in two accounts."""

import pytest

from finance_api.importers.interface import ImportRefused
from finance_api.resources import ACCOUNTS, RECORDS

OFX = """OFXHEADER:100

<OFX><BANKMSGSRSV1><STMTTRNRS><STMTRS><CURDEF>EUR
<BANKACCTFROM><BANKID>BNK<ACCTID>{number}<ACCTTYPE>CHECKING</BANKACCTFROM>
<BANKTRANLIST>{entries}</BANKTRANLIST>{balance}
</STMTRS></STMTTRNRS></BANKMSGSRSV1></OFX>
"""
ENTRY = "<STMTTRN><TRNTYPE>POS<DTPOSTED>{day}<TRNAMT>{amount}<FITID>{fitid}<NAME>Shop</STMTTRN>"
BALANCE = "<LEDGERBAL><BALAMT>{amount}<DTASOF>{day}</LEDGERBAL>"


def statement(*entries, balance=None, number="111"):
    return OFX.format(
        number=number,
        entries="".join(ENTRY.format(day=d, amount=a, fitid=f) for d, a, f in entries),
        balance="" if balance is None else BALANCE.format(day=balance[0], amount=balance[1]),
    )


JANUARY = statement(("20260110", "-10", "f1"), ("20260120", "-5", "f2"), balance=("20260131", 100))
FEBRUARY = statement(("20260210", "-20", "f3"), balance=("20260228", 80))


def balances(person):
    return {row["name"]: row["balance"] / 10_000 for row in person.rows(ACCOUNTS)}


def test_an_existing_account_is_never_replaced_by_a_new_one_of_its_key(person):
    person.ofx(JANUARY)
    with pytest.raises(ImportRefused, match="leave out --account"):
        person.ofx(JANUARY, account_name="Giro")
    assert balances(person) == {"Checking 111": 100}


def test_the_balance_stays_the_banks_when_a_record_changes_natively(person):
    person.ofx(JANUARY)
    first = person.rows(RECORDS)[0]
    person.native(
        {
            "reserved_model_type": "Record",
            "id": first["id"],
            "source": first["source"],
            "sourceId": first["sourceId"],
            "accountId": first["accountId"],
            "amount": first["amount"] // 10_000,
            "recordDate": "2026-01-10",
            "payee": "Shop",
            "recordState": "void",
        }
    )
    assert balances(person) == {"Checking 111": 100}


def test_a_slash_in_an_id_is_no_other_account(person):
    person.ofx(statement(("20260110", "-10", "2/3")))
    other = statement(("20260110", "-77", "3"), number="111/2")
    assert person.ofx(other).created == 1
    assert balances(person) == {"Checking 111": -10, "Checking 111/2": -77}

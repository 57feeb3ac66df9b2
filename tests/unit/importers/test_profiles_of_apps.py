# ruff: noqa: E501 (rows as they stand in files)
"""Exports of budgeting apps, as their layouts have them.

Each direction, each word, two currencies. Files and records are written by hand, and share nothing
with the profiles.
"""

import pytest

from support.csv_files import answers, initial, read, records, refusal, skipped

WALLET = (
    "account;category;currency;amount;ref_currency_amount;type;payment_type;payment_type_local;note;"
    "date;gps_latitude;gps_longitude;gps_accuracy_in_meters;warranty_in_month;transfer;payee;labels;"
    "envelope_id;custom_category\n"
)


def test_wallet():
    text = WALLET + (
        "Purse;Groceries, food;EUR;-12.40;-12.40;Gastos;CASH;Efectivo;weekly shop;"
        "2026-03-04 18:20:11;;;;0;false;Corner Market;food|home;1000;false\n"
        "Purse;Salary;EUR;1000.00;1000.00;Ingresos;MOBILE_PAYMENT;x;;"
        "2026-03-05 09:00:00;;;;0;false;Employer;;1001;false\n"
        "Card;TRANSFER;USD;-50.00;-46.00;Gastos;TRANSFER;x;;"
        "2026-03-06 10:00:00;48.2;16.3;20;0;true;;;1002;false\n"
        "Purse;TRANSFER;EUR;46.00;46.00;Ingresos;TRANSFER;x;;"
        "2026-03-06 10:00:00;;;;0;true;;;1002;false\n"
    )
    assert records(text, "wallet") == {
        "Purse": [
            "2026-03-04 -12.4 | Corner Market | weekly shop | Groceries, food labels=food,home "
            "type=cash",
            "2026-03-05 1000 | Employer | - | Salary type=mobile_payment",
            "2026-03-06 46 | - | - | TRANSFER type=transfer",
        ],
        "Card": ["2026-03-06 -50 | - | - | TRANSFER type=transfer"],
    }
    assert [found.account.currency for found in read(text)] == ["EUR", "USD"]


def test_wallet_with_decimal_commas():
    text = WALLET + (
        "Borsa;Spesa;EUR;-83,83;-83,83;Spese;DEBIT_CARD;Carta;;2026-03-04 18:20:11;;;;0;false;;;1;"
        "false\n"
    )
    assert records(text, "wallet") == {
        "Borsa": ["2026-03-04 -83.83 | - | - | Spesa type=debit_card"]
    }


WEB = "account;category;currency;amount;ref_currency_amount;type;payment_type;note;date;transfer;payee;labels\n"


@pytest.mark.parametrize(
    "out, in_", [("Expense", "Income"), ("Gasto", "Ingreso"), ("Расход", "Доход")]
)
def test_wallet_of_the_web(out, in_):
    text = WEB + (
        f"Purse;Groceries;EUR;12.40;12.40;{out};Cash;weekly shop;2026-03-04T23:20:11.000Z;false;"
        "Corner Market;food, home\n"
        f"Card;Salary;USD;1000.00;920.00;{in_};Cash;;2026-03-05T08:00:00.000Z;false;Employer;\n"
    )
    assert records(text, "wallet-web") == {
        "Purse": ["2026-03-04 -12.4 | Corner Market | weekly shop | Groceries labels=food,home"],
        "Card": ["2026-03-05 1000 | Employer | - | Salary"],
    }
    assert records(text, "wallet-web", timezone="Europe/Vienna")["Purse"][0].startswith(
        "2026-03-05"
    )


def test_wallet_of_the_web_refuses_a_word_that_it_does_not_know():
    text = WEB + "Purse;x;EUR;12.40;12.40;Kostnad;Cash;;2026-03-04T17:20:11.000Z;false;;\n"
    assert refusal(text).line == 2 and "'Kostnad'" in refusal(text).reason


YNAB = (
    '"Account","Flag","Date","Payee","Category Group/Category","Category Group","Category","Memo",'
    '"Outflow","Inflow","Cleared"\n'
)


def test_ynab():
    text = (
        "\ufeff"
        + YNAB
        + (
            '"Checking","","03/01/2026","Starting Balance","Inflow: Ready to Assign","Inflow",'
            '"Ready to Assign","",$0.00,"$1,500.00","Reconciled"\n'
            '"Checking","Red","03/14/2026","Corner Market","Needs: Groceries","Needs","Groceries",'
            '"Split (1/2) weekly shop",$12.40,$0.00,"Cleared"\n'
            '"Checking","","03/14/2026","Corner Market","Wants: Fun","Wants","Fun",'
            '"Split (2/2) ",$2.60,$0.00,"Cleared"\n'
            '"Checking","","03/15/2026","Transfer : Savings","","","","",$100.00,$0.00,"Uncleared"\n'
            '"Savings","","03/15/2026","Transfer : Checking","","","","",$0.00,$100.00,"Uncleared"\n'
        )
    )
    assert records(text, "ynab") == {
        "Checking": [
            "2026-03-14 -12.4 | Corner Market | Split (1/2) weekly shop | Needs: Groceries labels=Red",
            "2026-03-14 -2.6 | Corner Market | Split (2/2) | Wants: Fun",
            "2026-03-15 -100 | Transfer : Savings | - | -",
        ],
        "Savings": ["2026-03-15 100 | Transfer : Checking | - | -"],
    }
    assert initial(text) == {"Checking": "1500", "Savings": None}
    # Tabs, euros, and days first.
    tabs = YNAB.replace(",", "\t") + (
        '"Giro"\t""\t"14.03.2026"\t"Eckmarkt"\t"Needs: Food"\t"Needs"\t"Food"\t""\t'
        '"1.234,00€"\t"0,00€"\t"Cleared"\n'
    )
    assert records(tabs, "ynab") == {"Giro": ["2026-03-14 -1234 | Eckmarkt | - | Needs: Food"]}
    assert read(tabs)[0].account.currency == "EUR"


def test_ynab_asks_for_the_order_of_day_and_month():
    text = YNAB + '"A","","03/04/2026","x","","","","",$1.00,$0.00,"Cleared"\n'
    assert "--date-format" in answers(refusal(text))[0]
    assert records(text, "ynab", date_format="MM/DD/YYYY") == {"A": ["2026-03-04 -1 | x | - | -"]}


def test_ynab_4():
    text = (
        '"Account","Flag","Check Number","Date","Payee","Category","Master Category",'
        '"Sub Category","Memo","Outflow","Inflow","Cleared","Running Balance"\n'
        '"Checking","","","01/03/2026","Starting Balance","","","","",$0.00,$100.00,"C","$100.00"\n'
        '"Checking","","17","14/03/2026","Corner Market","Needs:Groceries","Needs","Groceries","",'
        '$12.400,$0.000,"C","$87.60"\n'
        '"Checking","","","15/03/2026","Employer","Income:Available this month","Income",'
        '"Available this month","pay",$0.00,$50.00,"","$137.60"\n'
    )
    assert records(text, "ynab4") == {
        "Checking": [
            "2026-03-14 -12.4 | Corner Market | - | Needs: Groceries reference=17",
            "2026-03-15 50 | Employer | pay | Income: Available this month",
        ]
    }
    assert initial(text) == {"Checking": "100"}


def test_a_file_for_the_import_of_ynab_is_read_where_its_profile_is_named():
    text = (
        "Date,Payee,Category,Memo,Outflow,Inflow\n"
        "03/14/2026,Corner Market,,weekly shop,12.40,\n"
        "03/15/2026,Employer,Salary,,,1000\n"
    )
    assert records(text, "ynab-import", profile="ynab-import", account="X") == {
        "X": [
            "2026-03-14 -12.4 | Corner Market | weekly shop | -",
            "2026-03-15 1000 | Employer | - | Salary",
        ]
    }
    (found,) = read(text, account="X")
    assert found.statement.profile is None
    assert [entry.amount for entry in found.entries] == [-124_000, 10_000_000]


FIREFLY = (
    "user_id,group_id,journal_id,created_at,updated_at,group_title,type,currency_code,amount,"
    "foreign_currency_code,foreign_amount,primary_currency_code,pc_amount,pc_foreign_amount,"
    "description,date,source_name,source_iban,source_type,destination_name,destination_iban,"
    "destination_type,reconciled,category,budget,bill,tags,notes,sepa_cc,sepa_ct_op,sepa_ct_id,"
    "sepa_db,sepa_country,sepa_ep,sepa_ci,sepa_batch_id,external_url,interest_date,book_date,"
    "process_date,due_date,payment_date,invoice_date,recurrence_id,internal_reference,"
    "bunq_payment_id,import_hash,import_hash_v2,external_id,original_source,recurrence_total,"
    "recurrence_count,recurrence_date\n"
)


def firefly(
    number, kind, amount, source, destination, *, currency="EUR", foreign="", further="0,,,,,"
):
    """One of its rows: 52 cells below 53 headings."""
    foreign_code, _, foreign_amount = foreign.partition(" ")
    day = "2026-03-04T00:00:00+01:00"
    return (
        f"1,7,{number},2026-03-04T18:20:11+01:00,2026-03-04T18:20:11+01:00,,{kind},{currency},"
        f"{amount},{foreign_code},{foreign_amount},EUR,{amount},,text {number},{day},{source},"
        f"{destination},{further}" + "," * 24 + "\n"
    )


def test_firefly():
    text = (
        FIREFLY
        + firefly(8, "Opening balance", "100.000000000000", "Initial,,Initial balance account",
                  "Checking,DE00TEST,Asset account")
        + firefly(9, "Withdrawal", "-12.400000000000", "Checking,DE00TEST,Asset account",
                  "Corner Market,,Expense account", further='0,Food,Month,,"home,week",a note')
        + firefly(10, "Deposit", "1000.000000000000", "Employer,DE00OTHER,Revenue account",
                  "Checking,DE00TEST,Asset account")
        + firefly(11, "Transfer", "50.000000000000", "Checking,DE00TEST,Asset account",
                  "Savings,,Asset account")
        + firefly(12, "Transfer", "10.000000000000", "Checking,DE00TEST,Asset account",
                  "Dollars,,Asset account", foreign="USD 11.400000000000")
        + firefly(13, "Withdrawal", "-20.000000000000", "Checking,DE00TEST,Asset account",
                  "Car loan,,Loan")
        + firefly(14, "Reconciliation", "0.600000000000", "Reconciling,,Reconciliation account",
                  "Checking,DE00TEST,Asset account")
        + firefly(15, "Withdrawal", "-4.600000000000", "Checking,DE00TEST,Asset account",
                  "Shop,,Expense account", foreign="USD -5.000000000000")
    )  # fmt: skip
    found = records(text, "firefly")
    assert found == {
        "Checking": [
            "2026-03-04 -12.4 | Corner Market | text 9 a note | Food labels=home,week id=9",
            "2026-03-04 1000 | Employer | text 10 | - id=10 other=DE00OTHER",
            "2026-03-04 -50 | Savings | text 11 | - id=11",
            "2026-03-04 -10 | Dollars | text 12 | - id=12 original=11.4 USD",
            "2026-03-04 -20 | Car loan | text 13 | - id=13",
            "2026-03-04 0.6 | Reconciling | text 14 | - id=14",
            "2026-03-04 -4.6 | Shop | text 15 | - id=15 original=-5 USD",
        ],
        "Savings": ["2026-03-04 50 | Checking | text 11 | - id=11 other=DE00TEST"],
        "Dollars": [
            "2026-03-04 11.4 | Checking | text 12 | - id=12 other=DE00TEST original=10 EUR"
        ],
        "Car loan": ["2026-03-04 20 | Checking | text 13 | - id=13 other=DE00TEST"],
    }
    assert initial(text)["Checking"] == "100"
    assert read(text)[0].account.number == "DE00TEST"
    fewer = "\n".join(
        ",".join(cells[:11] + cells[14:])
        for cells in (line.split(",") for line in text.splitlines()[:2])
    )
    assert records(fewer + "\n", "firefly") == {"Checking": []}
    unknown = FIREFLY + firefly(1, "Withdrawal", "-1", "A,,Asset account", "B,,Beneficiary account")
    assert "Beneficiary account" in refusal(unknown).reason


def test_firefly_overdrawn_opening_balance():
    text = FIREFLY + firefly(
        8,
        "Opening balance",
        "-30.00",
        "Checking,,Asset account",
        "Initial,,Initial balance account",
    )
    assert initial(text) == {"Checking": "-30"}


ACTUAL = (
    "Checking,2026-03-01,,Starting,{}Starting Balances,100,0,Reconciled\n"
    "Checking,2026-03-04,Corner Market,(SPLIT INTO 2) shop,{},0,-12.4,Cleared\n"
    "Checking,2026-03-04,Corner Market,(SPLIT 1 OF 2) bread,{}Groceries,-10,0,Cleared\n"
    "Checking,2026-03-04,Corner Market,(SPLIT 2 OF 2) soap,{}Home,-2.4,0,Cleared\n"
    "Checking,2026-03-05,Savings,,{},-50,0,Not cleared\n"
    "Savings,2026-03-05,Checking,,{},50,0,Not cleared\n"
)


@pytest.mark.parametrize(
    "headings, group",
    [
        ("Account,Date,Payee,Notes,Category,Amount,Split_Amount,Cleared\n", "Usual: "),
        (
            "Account,Date,Payee,Notes,Category_Group,Category,Amount,Split_Amount,Cleared\n",
            "Usual,",
        ),
    ],
)
def test_actual(headings, group):
    none = "," if group.endswith(",") else ""
    text = headings + ACTUAL.format(group, none, group, group, none, none)
    assert records(text, "actual") == {
        "Checking": [
            "2026-03-01 100 | - | Starting | Usual: Starting Balances",
            "2026-03-04 -10 | Corner Market | (SPLIT 1 OF 2) bread | Usual: Groceries",
            "2026-03-04 -2.4 | Corner Market | (SPLIT 2 OF 2) soap | Usual: Home",
            "2026-03-05 -50 | Savings | - | -",
        ],
        "Savings": ["2026-03-05 50 | Checking | - | -"],
    }
    assert skipped(text) == {"sum of a split": 1}


def test_actual_of_a_selection():
    text = (
        "Account,Date,Payee,Notes,Category,Amount,Cleared,Reconciled\n"
        "Checking,2026-03-04,Corner Market,weekly shop,Usual: Groceries,-12.4,true,false\n"
        "Checking,2026-03-05,Employer,,Income: Pay,1000,false,false\n"
    )
    assert records(text, "actual-selection") == {
        "Checking": [
            "2026-03-04 -12.4 | Corner Market | weekly shop | Usual: Groceries",
            "2026-03-05 1000 | Employer | - | Income: Pay",
        ]
    }


def test_mint():
    text = (
        '"Date","Description","Original Description","Amount","Transaction Type","Category",'
        '"Account Name","Labels","Notes"\n'
        '"3/04/2026","Corner Market","CORNER MKT 12","1,012.40","debit","Groceries","CHECKING","",""\n'
        '"3/05/2026","Employer","PAY","1000.00","credit","Paycheck","CHECKING","work","thanks"\n'
        '"3/06/2026","Card","PAYMENT","50.00","debit","Credit Card Payment","CHECKING","",""\n'
        '"3/06/2026","Payment","PAYMENT","50.00","credit","Credit Card Payment","VISA","",""\n'
    )
    assert records(text, "mint") == {
        "CHECKING": [
            "2026-03-04 -1012.4 | Corner Market | CORNER MKT 12 | Groceries",
            "2026-03-05 1000 | Employer | PAY thanks | Paycheck labels=work",
            "2026-03-06 -50 | Card | PAYMENT | Credit Card Payment",
        ],
        "VISA": ["2026-03-06 50 | Payment | PAYMENT | Credit Card Payment"],
    }
    assert records(text.replace("/2026", "/26"), "mint") == records(text, "mint")
    assert "'reversal'" in refusal(text.replace('"credit"', '"reversal"')).reason


@pytest.mark.parametrize(
    "further, cells, id_",
    [
        ("", "", ""),
        (",Owner", ",Ada", ""),
        (",Owner,Reviewed", ",Ada,needs review", ""),
        (",Owner,Reviewed,Id", ",Ada,reviewed,77", " id=77"),
    ],
)
def test_monarch(further, cells, id_):
    text = (
        f"Date,Merchant,Category,Account,Original Statement,Notes,Amount,Tags{further}\n"
        f'2026-03-04,Corner Market,Groceries,Checking,CORNER MKT 12,,-12.40,"home,week"{cells}\n'
        f"2026-03-05,Employer,Paychecks,Checking,PAY,thanks,1000.00,{cells}\n"
    )
    assert records(text, "monarch") == {
        "Checking": [
            "2026-03-04 -12.4 | Corner Market | CORNER MKT 12 | Groceries labels=home,week" + id_,
            "2026-03-05 1000 | Employer | PAY thanks | Paychecks" + id_,
        ]
    }


def test_copilot_writes_expenses_without_a_sign():
    text = (
        "date,name,amount,status,category,parent category,excluded,tags,type,account,account mask,"
        "note,recurring\n"
        "2026-03-04,Corner Market,12.40,posted,Groceries,Food,false,,regular,Checking,1234,shop,\n"
        "2026-03-05,Employer,-1000.00,posted,Pay,,false,work,income,Checking,1234,,\n"
        "2026-03-06,To savings,50.00,posted,,,true,,internal transfer,Checking,1234,,\n"
        "2026-03-07,Hotel,80.00,pending,Travel,,false,,regular,Checking,1234,,\n"
    )
    assert records(text, "copilot") == {
        "Checking 1234": [
            "2026-03-04 -12.4 | Corner Market | shop | Food: Groceries",
            "2026-03-05 1000 | Employer | - | Pay labels=work",
            "2026-03-06 -50 | To savings | - | -",
        ]
    }
    assert skipped(text) == {"pending": 1}
    assert "'held'" in refusal(text.replace("pending", "held")).reason


def test_simplifi_and_the_parts_of_its_splits():
    text = (
        ",account,state,postedOn,payee,usage,category,tags,notes,amount,action,security,"
        "description,quantity,price,commission\n"
        ',Checking,CLEARED,3/4/2026,Corner Market,,Food:Groceries,home,a,"-$12.40",,,,,,\n'
        ',Checking,CLEARED,3/5/2026,Big Shop,,SPLIT,,,"$0.00",,,,,,\n'
        ',,,,,,Food:Groceries,,,"-$334.14",,,,,,\n'
        ',,,,,,Home,,,"-$5.00",,,,,,\n'
        ',Savings,CLEARED,3/6/2026,,,Interest,,,"$1.00",,,,,,\n'
        ',Checking,PENDING,3/7/2026,Hotel,,Travel,,,"-$80.00",,,,,,\n'
    )
    assert records(text, "simplifi") == {
        "Checking": [
            "2026-03-04 -12.4 | Corner Market | a | Food:Groceries labels=home",
            "2026-03-05 -334.14 | Big Shop | - | Food:Groceries",
            "2026-03-05 -5 | Big Shop | - | Home",
        ],
        "Savings": ["2026-03-06 1 | - | - | Interest"],
    }
    assert skipped(text) == {"PENDING": 1, "sum of a split": 1}
    assert "split" in refusal(text.replace('SPLIT,,,"$0.00"', 'SPLIT,,,"-$9.00"')).reason


def test_toshl():
    text = (
        "Date,Account,Category,Tags,Expense amount,Income amount,Currency,In main currency,"
        "Main currency,Description\n"
        '3/14/26,Purse,Groceries,"home, week","1,012.40",0.00,USD,950.00,EUR,weekly shop\n'
        "3/15/26,Bank,Salary,,0.00,1000.00,EUR,1000.00,EUR,pay\n"
        "3/16/26,Bank,Reconciliation,,0.60,0.00,EUR,0.60,EUR,\n"
    )
    assert records(text, "toshl") == {
        "Purse": ["2026-03-14 -1012.4 | - | weekly shop | Groceries labels=home,week"],
        "Bank": ["2026-03-15 1000 | - | pay | Salary", "2026-03-16 -0.6 | - | - | Reconciliation"],
    }
    open_ = text.replace("/14/", "/4/").replace("/15/", "/5/").replace("/16/", "/6/")
    assert "--date-format" in answers(refusal(open_))[0]


def test_spendee():
    text = (
        "Date,Wallet,Type,Category name,Amount,Currency,Note,Labels,Author\n"
        '2026-03-04T17:20:11+00:00,Purse,Expense,Groceries,-12.4,EUR,weekly shop,"home,week",Ada\n'
        "2026-03-05T17:20:11+00:00,Purse,Income,Salary,1000,EUR,,,Ada\n"
        "2026-03-06T17:20:11+00:00,Purse,Outgoing Transfer,Transfer,-50,EUR,,,Ada\n"
        "2026-03-06T17:22:00+00:00,Dollars,Incoming Transfer,Transfer,57,USD,,,Ada\n"
    )
    assert records(text, "spendee") == {
        "Purse": [
            "2026-03-04 -12.4 | - | weekly shop | Groceries labels=home,week",
            "2026-03-05 1000 | - | - | Salary",
            "2026-03-06 -50 | - | - | Transfer",
        ],
        "Dollars": ["2026-03-06 57 | - | - | Transfer"],
    }


def test_money_lover():
    text = (
        "ID;Note;Amount;Category;Account;Currency;Date;Event;Exclude Report\n"
        "17;weekly shop;-12.4;Groceries;Purse;EUR;04/03/2026;Holiday;\n"
        "18;;1000;Salary;Bank;USD;05/03/2026;;\n"
        "19;;-50;Outgoing Transfer;Bank;USD;06/03/2026;;TRUE\n"
    )
    assert records(text, "money-lover") == {
        "Purse": ["2026-03-04 -12.4 | - | weekly shop | Groceries labels=Holiday"],
        "Bank": ["2026-03-05 1000 | - | - | Salary", "2026-03-06 -50 | - | - | Outgoing Transfer"],
    }


def test_monefy():
    text = (
        "date,account,category,amount,currency,converted amount,currency,description\r\n"
        "14/03/2026,Cash,Initial balance 'Cash',100,EUR,100,EUR,\r\n"
        "14/03/2026,Cash,Groceries,-12.4,EUR,-12.4,EUR,weekly shop\r\n"
        '15/03/2026,Dollars,Salary,"1,280.8",USD,"1,180",EUR,pay\r\n'
        "16/03/2026,Cash,To 'Dollars',-50,EUR,-50,EUR,\r\n"
        "16/03/2026,Dollars,From 'Cash',57,USD,50,EUR,\r\n"
    )
    assert records(text, "monefy") == {
        "Cash": [
            "2026-03-14 -12.4 | - | weekly shop | Groceries",
            "2026-03-16 -50 | To 'Dollars' | - | -",
        ],
        "Dollars": [
            "2026-03-15 1280.8 | - | pay | Salary",
            "2026-03-16 57 | From 'Cash' | - | -",
        ],
    }
    assert initial(text) == {"Cash": "100", "Dollars": None}
    assert [found.account.currency for found in read(text)] == ["EUR", "USD"]


@pytest.mark.parametrize("name", ["Name", "Title"])
def test_bluecoins(name):
    text = (
        f'\ufeff"Type","Date","Set Time","{name}","Amount","Currency","Exchange Rate",'
        '"Category Group","Category","Account","Notes","Labels","Status"\n'
        '"New Account","2026-03-01 10:00:00.000","10:00 AM","Purse","100","EUR","1.0",'
        '"(New Account)","(New Account)","Purse","","",""\n'
        '"Expense","2026-03-04 18:20:11.478","6:20 PM","Corner Market","-12.4","EUR","1.0","Food",'
        '"Groceries","Purse","shop","",""\n'
        '"Income","2026-03-05 18:20:11.478","6:20 PM","Employer","1000","USD","1.1","Work","Pay",'
        '"Dollars","","",""\n'
        '"Transfer","2026-03-06 18:20:11.478","6:20 PM","To dollars","-50","EUR","1.0",'
        '"(Transfer)","(Transfer)","Purse","","",""\n'
        '"Transfer","2026-03-06 18:20:11.478","6:20 PM","To dollars","57","USD","1.1",'
        '"(Transfer)","(Transfer)","Dollars","","",""\n'
    )
    assert records(text, "bluecoins") == {
        "Purse": [
            "2026-03-04 -12.4 | Corner Market | shop | Food: Groceries",
            "2026-03-06 -50 | To dollars | - | -",
        ],
        "Dollars": [
            "2026-03-05 1000 | Employer | - | Work: Pay",
            "2026-03-06 57 | To dollars | - | -",
        ],
    }
    assert initial(text) == {"Purse": "100", "Dollars": None}
    assert "'Loan'" in refusal(text.replace('"Income"', '"Loan"')).reason


def test_a_file_for_the_import_of_bluecoins():
    headings = (
        "(1)Type,(2)Date,(3)Item or Payee,(4)Amount,(5)Parent Category,(6)Category,"
        "(7)Account Type,(8)Account,(9)Notes,(10) Label,(11) Status,(12) Split\n"
    )
    rows = (
        "e,03/04/2026 18:20,Corner Market,12.40,Food,Groceries,Cash,Purse,shop,,,\n"
        "i,03/05/2026 09:00,Employer,1000,Work,Pay,Bank,Giro,,,,\n"
    )
    assert records(headings + rows, "bluecoins-template") == {
        "Purse": ["2026-03-04 -12.4 | Corner Market | shop | Food: Groceries"],
        "Giro": ["2026-03-05 1000 | Employer | - | Work: Pay"],
    }
    assert (
        "transfer" in refusal(headings + rows + "t,03/06/2026 09:00,x,50,,,Cash,Purse,,,,\n").reason
    )
    currencies = (
        "(1)Type,(2)Date,(3)Item or Payee,(4)Amount,(5)Currency,(6)ConversionRate,"
        "(7)Parent Category,(8)Category,(9)Account Type,(10)Account,(11)Notes,(12) Label,"
        "(13) Status,(14) Split\n"
        "e,03/04/2026 18:20,Corner Market,12.40,EUR,1,Food,Groceries,Cash,Purse,shop,,,\n"
        "i,03/05/2026 09:00,Employer,1000,USD,1.1,Work,Pay,Bank,Giro,,,,\n"
    )
    assert records(currencies, "bluecoins-template-currency") == {
        "Purse": ["2026-03-04 -12.4 | Corner Market | shop | Food: Groceries"],
        "Giro": ["2026-03-05 1000 | Employer | - | Work: Pay"],
    }
    assert [found.account.currency for found in read(currencies)] == ["EUR", "USD"]


def test_cashew():
    text = (
        "account,amount,currency,title,note,date,income,type,category name,subcategory name,color,"
        "icon,emoji,budget,objective\n"
        "Purse,-12.4,EUR,Corner Market,shop,2026-03-04 18:20:11.000,false,null,Food,Groceries,,,,,\n"
        "Dollars,1000,usd,Employer,,2026-03-05 18:20:11.000,true,null,Pay,,,,,,\n"
        "Purse,-50,EUR,,Transferred Balance Purse -> Bank,2026-03-06 18:20:11.000,false,null,"
        "Balance Correction,,,,,,\n"
    )
    assert records(text, "cashew") == {
        "Purse": [
            "2026-03-04 -12.4 | Corner Market | shop | Food: Groceries",
            "2026-03-06 -50 | - | Transferred Balance Purse -> Bank | Balance Correction",
        ],
        "Dollars": ["2026-03-05 1000 | Employer | - | Pay"],
    }
    assert read(text)[1].account.currency == "USD"


def test_1money():
    text = (
        '"DATE","TYPE","FROM ACCOUNT","TO ACCOUNT / TO CATEGORY","AMOUNT","CURRENCY","AMOUNT 2",'
        '"CURRENCY 2","TAGS","NOTES"\n'
        '"03/14/26","Expense","Purse","Food (Groceries)","12.40","EUR","12.40","EUR","home",""\n'
        '"03/15/26","Income","Purse","Salary","1000.00","EUR","1000.00","EUR","","pay"\n'
        '"03/16/26","Transfer","Purse","Dollars","50.00","EUR","57.00","USD","",""\n'
    )
    assert records(text, "1money") == {
        "Purse": [
            "2026-03-14 -12.4 | - | - | Food (Groceries) labels=home",
            "2026-03-15 1000 | - | pay | Salary",
            "2026-03-16 -50 | Dollars | - | -",
        ],
        "Dollars": ["2026-03-16 57 | Purse | - | -"],
    }
    assert "Adjustment" in refusal(text.replace("Income", "Adjustment")).reason
    left = records(
        text.replace("Income", "Adjustment"), "1money", only=["TYPE=Expense", "TYPE=Transfer"]
    )
    assert [len(found) for found in left.values()] == [2, 1]


def test_1money_of_2025_has_the_account_of_income_on_the_other_side():
    text = (
        "Date (UTC),Type,From account / from category,From subcategory,To account / to category,"
        "To subcategory,Amount 1,Currency 1,Amount 2,Currency 2,Commission,Commission currency,"
        "Tax,Tax currency,Comment\n"
        "2026-03-04 18:20,Expense,Purse,,Food,Groceries,12.40,EUR,12.40,EUR,0,EUR,0,EUR,shop\n"
        "2026-03-05 18:20,Income,Salary,,Purse,,1000,EUR,1000,EUR,,,,,pay\n"
        "2026-03-06 18:20,Transfer,Purse,,Dollars,,50,EUR,57,USD,,,,,\n"
    )
    assert records(text, "1money-2025") == {
        "Purse": [
            "2026-03-04 -12.4 | - | shop | Food: Groceries",
            "2026-03-05 1000 | - | pay | Salary",
            "2026-03-06 -50 | Dollars | - | -",
        ],
        "Dollars": ["2026-03-06 57 | Purse | - | -"],
    }
    assert (
        "commission" in refusal(text.replace("EUR,0,EUR,0,EUR,shop", "EUR,1,EUR,0,EUR,shop")).reason
    )
    assert "tax" in refusal(text.replace("EUR,0,EUR,0,EUR,shop", "EUR,0,EUR,1,EUR,shop")).reason

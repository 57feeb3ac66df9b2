"""Plain exports of banks and programs that come in without a question, or with one that helps."""

import pytest

from finance_api.importers.interface import ImportRefused
from finance_api.values.time import date_text
from support.csv_files import answers, read, refusal


def amounts(text, **options):
    (found,) = read(text, **({"account": "Main", "currency": "EUR"} | options))
    return [entry.amount / 10_000 for entry in found.entries]


MARKED = "{day};{text};{amount}\n02.01.2026;a;-12,50\n13.01.2026;b;900,00\n"


@pytest.mark.parametrize(
    ("heading", "currency"),
    [
        ("Tutar (TL)", "TRY"),
        ("Tutar TL", "TRY"),
        ("Kwota (zł)", "PLN"),
        ("Kwota zł", "PLN"),
        ("Částka (Kč)", "CZK"),
        ("Összeg (Ft)", "HUF"),
        ("Jumlah (Rp)", "IDR"),
        ("Сумма, руб.", "RUB"),
        ("Сума (грн)", "UAH"),
        ("Сума (лв)", "BGN"),
        ("金额(人民币)", "CNY"),
        ("金額（円）", "JPY"),
        ("Amount (₹)", "INR"),
        ("Valor (R$)", "BRL"),
        ("Monto (S/)", "PEN"),
        ("Amount (R)", "ZAR"),
        ("Amount (Turkish Lira)", "TRY"),
        ("Сумма (тенге)", "KZT"),
        ("Amount GEL", "GEL"),
    ],
)
def test_a_mark_in_the_heading_of_an_amount_is_its_currency(heading, currency):
    text = MARKED.format(day="Date", text="Description", amount=heading)
    if currency == "JPY":
        text = text.replace(",50", ",00")
    (found,) = read(text, account="Main")
    assert found.account.currency == currency
    assert len(found.entries) == 2
    with pytest.raises(ImportRefused):
        read(text, account="Main", currency="USD")


@pytest.mark.parametrize(
    ("heading", "codes"),
    [("Belopp (kr)", "SEK NOK"), ("Amount ($)", "USD CAD"), ("金额(元)", "CNY TWD")],
)
def test_an_ambiguous_mark_in_a_heading_leaves_the_currency_open(heading, codes):
    text = MARKED.format(day="Date", text="Description", amount=heading)
    (found,) = read(text, account="Main")
    assert found.account.currency is None
    assert list(found.statement.possible_currencies[:2]) == codes.split()
    refused = refusal(text.replace("-12,50", "12,50"))
    assert list(refused.codes[:2]) == codes.split()


def test_two_marks_that_share_one_currency_say_it():
    text = "交易时间,内容,金额(元)\n2026-01-02,a,¥-12.50\n2026-01-13,b,¥900.00\n"
    (found,) = read(text, account="Main")
    assert found.account.currency == "CNY"


@pytest.mark.parametrize("word", ["Paid In (GEL)", "Money in (GEL)"])
def test_the_word_in_before_a_currency_in_brackets_is_a_word(word):
    text = f"Date,Description,Money Out (GEL),{word}\n2026-01-02,a,12.50,\n2026-01-13,b,,900.00\n"
    assert amounts(text, currency=None) == [-12.5, 900]


SIDES = "Date,Description,Debit,Credit,Amount\n2026-01-02,a,45.20,,{0}45.20\n"
SIDES += "2026-01-03,b,-5.20,,{1}5.20\n2026-01-13,c,,2500.00,{1}2500.00\n"


def test_sides_with_a_refund_and_a_signed_amount_prove_each_other():
    assert amounts(SIDES.format("-", "")) == [-45.2, 5.2, 2500]


def test_sides_say_that_the_signs_of_the_amount_beside_them_are_turned():
    rows = "2026-01-02,a,45.20,,45.20\n2026-01-03,b,,900.00,-900.00\n2026-01-05,c,3.00,,3.00\n"
    text = f"Date,Description,Debit,Credit,Amount\n{rows}"
    assert amounts(text) == [-45.2, 900, -3]


@pytest.mark.parametrize("heading", ["Amount", "Sum"])
def test_an_unknown_column_with_the_sizes_of_the_amount_may_have_its_signs(heading):
    text = f"Date,Description,{heading},Xyzzy\n2026-01-02,a,45.20,-45.20\n"
    text += "2026-01-13,b,2500.00,2500.00\n2026-01-24,c,900.00,-900.00\n"
    assert amounts(text) == [-45.2, 2500, -900]


@pytest.mark.parametrize(
    "order", ["Gross,Fee,Net", "Net,Fee,Gross", "Fee,Amount,Net", "Net,Amount,Fee"]
)
@pytest.mark.parametrize("sign", ["", "-"])
def test_the_amount_after_the_fee_is_taken_in_any_order_of_columns(order, sign):
    rows = [("100.00", "3.20", "96.80"), ("50.00", "1.75", "48.25"), ("-140.00", "0.00", "-140.00")]
    lines = []
    for day, (gross, fee, net) in enumerate(rows, 2):
        fee = sign + fee if fee.strip("0.") else fee
        cells = {"Gross": gross, "Amount": gross, "Fee": fee, "Net": net}
        lines.append(f"2026-01-{day:02},a,{','.join(cells[name] for name in order.split(','))}\n")
    assert amounts(f"Date,Description,{order}\n{''.join(lines)}") == [96.8, 48.25, -140]


TWO_PAIRS = "交易日期,摘要,交易金额(收入),交易金额(支出),交易币种,"
TWO_PAIRS += "记账金额(收入),记账金额(支出),记账币种,余额\n"


def test_of_two_pairs_of_sides_the_one_that_the_balance_follows_is_the_account_s():
    text = TWO_PAIRS + "2026-01-02,a,,54.20,人民币,,54.20,人民币,945.80\n"
    text += "2026-01-05,b,,10.00,美元,,72.00,人民币,873.80\n"
    text += "2026-01-13,c,800.00,,人民币,800.00,,人民币,1673.80\n"
    (found,) = read(text, account="Main")
    assert [entry.amount / 10_000 for entry in found.entries] == [-54.2, -72, 800]
    assert found.account.currency == "CNY"


@pytest.mark.parametrize("currency", ["Currency", "Card currency"])
def test_the_amount_of_the_operation_stands_beside_the_sides_of_a_card(currency):
    text = f"Date,Description,Amount,Original currency,{currency},Debit,Credit\n"
    text += "2026-01-02,a,45.20,CHF,CHF,45.20,\n2026-01-05,b,10.00,EUR,CHF,9.80,\n"
    text += "2026-01-24,c,57.20,CHF,CHF,,57.20\n"
    (found,) = read(text, account="Card")
    assert [entry.amount / 10_000 for entry in found.entries] == [-45.2, -9.8, 57.2]
    assert found.entries[1].original_currency == "EUR"
    assert found.account.currency == "CHF"


@pytest.mark.parametrize("heading", ["Charge Amount", "利用金額", "סכום חיוב"])
def test_a_heading_says_that_its_amounts_were_spent(heading):
    text = f"Date,Description,{heading}\n2026-01-02,a,45.00\n2026-01-13,b,30.00\n"
    assert amounts(text) == [-45, -30]
    assert amounts(text + "2026-01-14,c,-5.00\n") == [-45, -30, 5]
    # Most amounts have a minus already.
    signed = text.replace(",4", ",-4").replace(",3", ",-3") + "2026-01-14,c,5.00\n"
    assert amounts(signed) == [-45, -30, 5]


def test_money_without_signs_that_goes_out_is_offered_first_but_for_savings():
    text = "Date,Description,Amount\n2026-01-02,a,45.00\n2026-01-13,b,30.00\n"
    assert answers(refusal(text, account="My card", currency="EUR"))[0] == "--positive out"
    assert answers(refusal(text, account="Savings", currency="EUR"))[0] == "--positive in"


def test_a_card_of_which_all_that_comes_in_is_a_payment_is_read_without_a_question():
    text = "Date,Description,Card Member,Amount\n2026-01-02,a,J DOE,45.00\n"
    text += "2026-01-13,b,J DOE,30.00\n2026-01-20,PAYMENT - THANK YOU,J DOE,-75.00\n"
    assert amounts(text) == [-45, -30, 75]
    assert refusal(text.replace("Card Member", "Owner"), currency="EUR")
    assert refusal(text.replace("PAYMENT - THANK YOU", "Transfer"), currency="EUR")


BOOKED = "2026-01-24,Rent,-900.00\n2026-01-13,Wages,2500.00\n"
PENDING = "2026-01-26,Fuel,-30.00\n2026-01-25,Coffee,-4.50\n"
HEAD = "Date,Description,Amount\n"


@pytest.mark.parametrize(
    "text",
    [
        f"Pending transactions\n{HEAD}{PENDING}\nPosted transactions\n{HEAD}{BOOKED}",
        f"Posted transactions\n{HEAD}{BOOKED}\nPending transactions\n{HEAD}{PENDING}",
        f"{HEAD}Pending transactions,,\n{PENDING}Posted,,\n{BOOKED}",
        f"{HEAD}{BOOKED}Pending transactions:\n{PENDING}",
    ],
)
def test_rows_below_a_title_that_says_pending_are_left_out_and_counted(text):
    (found,) = read(text, account="Main", currency="EUR")
    assert [entry.amount / 10_000 for entry in found.entries] == [-900, 2500]
    assert (
        found.statement.skipped["Pending transactions"]
        + found.statement.skipped["Pending transactions:"]
        == 2
    )


@pytest.mark.parametrize(
    "title",
    [
        "Upcoming payments",
        "SCHEDULED",
        "Future transactions:",
        "Geplante Umsätze",
        "Virements programmés",
        "Movimientos futuros",
        "Lançamentos futuros",
        "Geplande betalingen",
        "Kommande betalningar",
        "Zaplanowane płatności",
    ],
)
def test_rows_below_a_title_that_says_that_they_are_still_to_come_are_left_out(title):
    (found,) = read(f"{HEAD}{BOOKED}{title},,\n{PENDING}", account="Main", currency="EUR")
    assert [entry.amount / 10_000 for entry in found.entries] == [-900, 2500]
    assert found.statement.skipped[title] == 2


def test_a_note_about_pending_rows_is_no_title():
    text = f"Pending transactions are not shown\n{HEAD}{BOOKED}"
    assert amounts(text) == [-900, 2500]


def test_a_day_of_the_persian_calendar_is_named():
    text = "تاریخ,شرح,برداشت,واریز\n1404/10/12,a,540000,\n1404/10/23,b,,80000000\n"
    assert "Persian" in str(refusal(text))


def test_an_unknown_word_beside_a_status_is_asked_about_under_any_heading():
    def text(*words):
        rows = (f"2026-01-{day},x {day},-5.00,{word}\n" for day, word in enumerate(words, 20))
        return f"Date,Description,Amount,Zorblat\n{''.join(rows)}"

    asked = refusal(text("gebucht", "gebucht", "quaxig", "gebucht"), currency="EUR")
    assert "--only Zorblat=gebucht" in answers(asked)
    assert amounts(text(*["gebucht"] * 4)) == [-5] * 4
    # Kinds of payments are no states, and texts that do not repeat are none.
    assert amounts(text("Buchung", "Zinsaufwand", "Buchung", "Belastung")) == [-5] * 4
    assert amounts(text("Shop", "Rail", "quaxig", "gebucht")) == [-5] * 4


def test_a_row_of_which_the_balance_is_all_its_money_and_that_lacks_a_text_is_asked_about():
    text = "Date,Description,Payee,Amount,Balance\n2026-01-01,Quaxaldo,,1000.00,1000.00\n"
    text += "2026-01-02,Card,Grocer,-45.20,954.80\n2026-01-13,Giro,Work,2500.00,3454.80\n"
    text += "2026-01-24,Giro,Landlord,-900.00,2554.80\n"
    without, kept = answers(refusal(text, currency="EUR"))
    assert without == "--leave-out Description=Quaxaldo"
    assert amounts(text, leave_out=("Description=Quaxaldo",)) == [-45.2, 2500, -900]
    assert amounts(text, leave_out=("Payee=",)) == [1000, -45.2, 2500, -900]
    assert kept == "--leave-out Payee="


SAVED = [("02", "{0}", 500), ("12", "{0}", 500), ("22", "{0}", 500), ("24", "Out", -300)]


def saved(text, head="Date,Description,Amount,Balance", cells=""):
    lines, balance = [], 1000
    for day, note, units in SAVED:
        balance += units
        lines.append(f"2026-01-{day},{note.format(text)},{units}.00,{balance}.00{cells}\n")
    return f"{head}\n{''.join(lines)}"


def test_mostly_positive_amounts_of_an_account_that_is_no_card_are_not_asked_about():
    assert amounts(saved("Deposit"), account="Savings") == [500, 500, 500, -300]
    assert amounts(saved("Dividend")) == [500, 500, 500, -300]
    numbered = saved("Deposit", "Date,Description,Amount,Balance,IBAN", ",NL91ABNA0417164300")
    assert amounts(numbered, account=None) == [500, 500, 500, -300]
    assert answers(refusal(saved("Deposit"), currency="EUR"))[0].startswith("--positive out")
    assert answers(refusal(saved("Dividend"), currency="EUR", account="Visa"))


def test_mostly_positive_amounts_without_balances_are_asked_about_though_there_is_an_account():
    text = "Date,Account Name,Description,Amount\n"
    text += "".join(f"2026-01-{day},Checking,Shop,{day}.00\n" for day in (12, 13, 14, 15))
    text += "2026-01-16,Checking,Work,-900.00\n"
    assert "--positive out" in answers(refusal(text, account=None, currency="EUR"))


@pytest.mark.parametrize("day", ["'{0}", '="{0}"'])
def test_days_and_numbers_behind_an_apostrophe_are_read(day):
    rows = "".join(
        f"{day.format(text)},a,{day.format(amount)}\n"
        for text, amount in (("02/01/2026", "-12.50"), ("23/01/2026", "900.00"))
    )
    assert amounts(f"Date,Description,Amount\n{rows}") == [-12.5, 900]


def test_a_footer_below_few_rows_does_not_hide_a_side():
    text = "Data mov.;Descrição;Débito;Crédito;Saldo\n25-01-2026;b;;2.500,00;3.454,80\n"
    text += "02-01-2026;a;45,20;;954,80\n ; ; ;Saldo contabilístico;3.454,80 EUR\n"
    assert amounts(text) == [2500, -45.2]


def test_names_under_an_unknown_heading_are_kept_if_nothing_else_names_the_payee():
    text = "Date,Description,Quax,Branch,Code,Amount\n"
    for day, name in enumerate(("Corner Shop", "City Rail", "Work Ltd", "Landlord"), 20):
        text += f"2026-01-{day},Card,{name},Main,X{day}A,-5.00\n"
    (found,) = read(text, account="Main", currency="EUR")
    assert [entry.note for entry in found.entries][:2] == ["Card Corner Shop", "Card City Rail"]
    (found,) = read(text.replace("Branch", "Payee"), account="Main", currency="EUR")
    assert found.entries[0].note == "Card"


def of_card(*rows):
    lines = (
        f"{day}.02.2026,Shop {day},{amount},{','.join(words)}\n" for day, amount, *words in rows
    )
    return f"Transaktionsdatum,Händler,Betrag,Kartennummer,Typ\n{''.join(lines)}"


def test_words_that_contradict_all_signs_of_a_card_prove_that_its_signs_are_turned():
    rows = [("25", "165.82", "3759 XX", "Belastung"), ("21", "9.38", "3759 XX", "Belastung")]
    text = of_card(*rows, ("14", "-11.26", "3759 XX", "Gutschrift"))
    assert amounts(text, account="Main") == [-165.82, -9.38, 11.26]
    assert refusal(text.replace("Kartennummer", "Nummer"), currency="EUR")
    rows = [(day, amount, number, "Purchase") for day, amount, number, _ in rows]
    rows.append(("22", "1.00", "3759 XX", "Purchase"))
    paid = ("15", "-412.35", "3759 XX", "Payment")
    text = of_card(*rows, paid, ("14", "-11.26", "3759 XX", "Credit"))
    assert amounts(text, account="Main") == [-165.82, -9.38, -1, 412.35, 11.26]


def test_a_word_in_the_place_of_a_reference_says_that_a_row_is_pending():
    text = "Date,Narrative,Quax,Amount\n"
    text += "".join(f"2026-01-{day},a,CRD_{day}1,-5.00\n" for day in range(13, 24))
    (found,) = read(text + "2026-01-24,b,HOLD,-7.00\n", account="Main", currency="EUR")
    assert len(found.entries) == 11
    assert found.statement.skipped == {"HOLD": 1}


def test_money_that_adds_up_to_the_amount_in_each_row_is_not_asked_about():
    text = "Date,Payee,Subtotal,Round Up,Total\n2026-01-13,a,-74.81,-0.19,-75.00\n"
    text += "2026-01-14,b,-9.30,-0.70,-10.00\n2026-01-15,c,50.00,0.00,50.00\n"
    assert amounts(text) == [-75, -10, 50]
    assert refusal(text.replace("-0.70", "-0.80"), currency="EUR")


def test_signs_in_brackets_are_headings_of_sides():
    text = 'Date,Details,"[-] EUR","[+] EUR"\n2026-01-13,a,6.35,\n2026-01-14,b,,97.05\n'
    assert amounts(text, currency=None) == [-6.35, 97.05]


def test_a_currency_without_decimals_in_the_heading_says_that_a_comma_divides_thousands():
    text = "取引日,取引内容,出金金額（円）,入金金額（円）\n"
    text += '2026/02/26,a,"5,357",-\n2026/02/27,b,-,"1,575"\n'
    assert amounts(text, currency=None) == [-5357, 1575]


def test_a_number_below_the_rows_that_the_delimiter_divided_is_one_number():
    text = "Kode Mata Uang : IDR\n\nTanggal,Keterangan,Jumlah,Saldo\n"
    text += '13/01/2026,a,"-1,500.00","4,198,500.00"\n14/01/2026,b,"2,000.00","4,200,500.00"\n'
    text += "Saldo Awal : 4,200,000.00\nSaldo Akhir : 4,200,500.00\n"
    (found,) = read(text, account="Main")
    assert found.account.currency == "IDR"
    assert found.statement.opening.amount == 4_200_000 * 10_000


@pytest.mark.parametrize(
    ("line", "currency"),
    [
        ("# 币    种: [       人民币 ]", "CNY"),
        ("幣別：,新臺幣", "TWD"),
        ("Conta ,0123456789012 - EUR - Conta à ordem", "EUR"),
        ("Konto Direct (PLN),61 1050", "PLN"),
        ("Moneda:,Pesos (CLP)", "CLP"),
        ("Currency :- INR", "INR"),
        ("Loại tiền:,VND", "VND"),
        ("Số tài khoản: 12345678 (VND)", "VND"),
        ("Hesap,123-6299999 TL Vadesiz\nIBAN,TR330006200012300006299999", "TRY"),
        # No account of this country is named.
        ("Account,12345678 ALL TRANSACTIONS", None),
    ],
)
def test_a_line_above_the_headings_states_the_currency(line, currency):
    text = f"{line}\n\nDate,Description,Amount\n2026-01-13,a,-5.00\n2026-01-14,b,7.00\n"
    (found,) = read(text, account="Main")
    assert found.account.currency == currency


def test_two_columns_of_currencies_of_which_each_row_has_one_state_the_currency():
    text = "DATE,NAME,DEBIT,DEBIT CURRENCY,CREDIT,CREDIT CURRENCY\n"
    text += "2026-01-13,a,-5.00,CHF,,\n2026-01-14,b,,,7.00,CHF\n"
    (found,) = read(text, account="Main")
    assert (found.account.currency, len(found.entries)) == ("CHF", 2)
    assert "currency" in str(refusal(text.replace("-5.00,CHF", "-5.00,")))


def test_rows_of_texts_continue_the_rows_above_if_most_rows_are_continued():
    rows = [(f"2026-01-{day}", "POS", f"{day}.00", f"SHOP {day}") for day in range(13, 18)]
    text = "Date,Description,Debit,Credit\n"
    text += "".join(f"{day},{kind},{out},\n,{shop},,\n" for day, kind, out, shop in rows)
    (found,) = read(text, account="Main", currency="EUR")
    assert [entry.note for entry in found.entries][:2] == ["POS SHOP 13", "POS SHOP 14"]
    # Money in such a row is no text.
    assert refusal(text.replace(",SHOP 14,,", ",SHOP 14,,3.00"), currency="EUR")


def test_blocked_amounts_without_a_booking_day_and_an_amount_are_pending():
    text = "Transaction date,Booking date,Payee,Amount,Blocked\n2026-02-28,,Taxi,,-20.50\n"
    text += "2026-02-25,2026-02-25,a,-5.00,\n2026-02-20,2026-02-20,b,7.00,\n"
    (found,) = read(text, account="Main", currency="EUR")
    assert [entry.amount for entry in found.entries] == [-50_000, 70_000]


def test_the_words_behind_the_balance_are_the_balance_s():
    text = "Date,Description,Amount,Dr / Cr,Balance,Dr / Cr\n2026-01-13,a,30.00,DR,70.00,CR\n"
    text += "2026-01-14,b,90.00,DR,20.00,DR\n2026-01-15,c,50.00,CR,30.00,CR\n"
    assert amounts(text) == [-30, -90, 50]
    assert answers(refusal(text, currency="EUR", balance="Balance")) == ["--sign 4"]


def test_rows_that_were_declined_are_left_out_by_the_first_choice():
    text = "Date,Description,Amount,Zorblat\n"
    for day, word in ((13, "fine"), (14, "fine"), (15, "declined"), (16, "fine"), (17, "other")):
        text += f"2026-01-{day},a,-5.00,{word}\n"
    first, *_ = answers(refusal(text, currency="EUR"))
    assert "declined" not in first and "fine" in first


def test_sums_of_several_months_are_asked_about_together():
    text = "Datum;Text;Betrag\n05.01.2026;a;-12,50\n25.01.2026;b;50,00\n"
    text += "31.01.2026;Summe Januar;37,50\n13.02.2026;c;-10,00\n28.02.2026;Summe Februar;-10,00\n"
    first, *_ = answers(refusal(text, currency="EUR"))
    assert first == "--leave-out Text=Summe Januar --leave-out Text=Summe Februar"


def test_an_opening_and_a_closing_row_without_texts_are_asked_about():
    text = "Datum;Text;Betrag\n01.01.2026;;1000,00\n13.01.2026;a;-12,50\n15.01.2026;b;-7,50\n"
    assert "--leave-out Text=" in answers(refusal(text + "31.01.2026;;980,00\n", currency="EUR"))
    assert amounts(text + "31.01.2026;;981,00\n")[-1] == 981


def test_sides_of_books_whose_debits_raise_the_balance_can_be_exchanged():
    text = (
        "Date,Memo,Debit,Credit,Balance\n2026-01-13,a,,12.50,987.50\n2026-01-14,b,50.00,,1037.50\n"
    )
    text += "2026-01-15,c,,7.50,1030.00\n"
    *_, last = answers(refusal(text, currency="EUR"))
    assert last == "--debit Credit --credit Debit"
    assert amounts(text, debit="Credit", credit="Debit") == [-12.5, 50, -7.5]


@pytest.mark.parametrize(
    ("balances", "way"), [((70, 50, 40, 45), "out"), ((70, 90, 100, 95), "in")]
)
def test_the_row_that_no_balance_precedes_most_likely_goes_the_way_of_most_others(balances, way):
    sizes = zip((13, 14, 15, 16), (30, 20, 10, 5), balances, strict=True)
    rows = (f"2026-01-{day},x {day},{size}.00,{balance}.00\n" for day, size, balance in sizes)
    text = f"Date,Description,Amount,Balance\n{''.join(rows)}"
    assert answers(refusal(text, currency="EUR"))[0] == f"--positive {way}"


OWN, OTHERS = "DE89370400440532013000", ["GB29NWBK60161331926819", "FR1420041010050500013M02606"]


#: The account of whoever pays: one's own if money goes out.
BOTH = [(OWN, OTHERS[0], "-12,50"), (OWN, "", "-3,00"), (OTHERS[1], OWN, "900,00")]


@pytest.mark.parametrize(
    "rows",
    [
        # One of them is blank in a row.
        [*BOTH, (OTHERS[0], "", "-1,00")],
        # The account of the other party, under a heading that does not say so.
        [(f"DE895323{number:014}", "", "-12,50") for number in range(6)],
    ],
)
def test_accounts_of_whoever_pays_are_not_one_s_own(rows):
    text = "Datum;Text;IBAN;Empfängerkonto;Betrag;Währung\n"
    for day, (payer, payee, amount) in enumerate(rows, 13):
        text += f"{day}.01.2026;Laden {day};{payer};{payee};{amount};EUR\n"
    assert "has several accounts" in str(refusal(text))


def test_accounts_of_payer_and_payee_of_which_one_is_in_each_row_are_not_asked_about():
    text = "Datum;Text;IBAN;Empfängerkonto;Betrag;Währung\n"
    for day, (payer, payee, amount) in enumerate(BOTH, 13):
        text += f"{day}.01.2026;Laden {day};{payer};{payee};{amount};EUR\n"
    assert amounts(text, currency=None) == [-12.5, -3, 900]


def test_amounts_of_a_profile_stand_in_either_of_its_columns():
    head = "Buchungstag;Wert;Umsatzart;Begünstigter / Auftraggeber;Verwendungszweck;IBAN;BIC;"
    head += "Kundenreferenz;Mandatsreferenz ;Gläubiger ID;Fremde Gebühren;Betrag;"
    head += "Abweichender Empfänger;Anzahl der Aufträge;Anzahl der Schecks;Soll;Haben;Währung\n"
    row = "13.01.2026;13.01.2026;Karte;Laden;Rechnung;;;;;;;{0};;;;{1};{2};EUR\n"
    older = head + row.format("", "-82,58", "") + row.format("", "", "1.332,57")
    assert amounts(older, currency=None) == [-82.58, 1332.57]
    newer = head + row.format("-82,58", "-82,58", "") + row.format("5,00", "", "5,00")
    assert amounts(newer, currency=None) == [-82.58, 5]
    # Whether an amount in the column of debits has a sign is no guess.
    assert refusal(head + row.format("", "82,58", ""))


def test_a_day_of_settlement_that_booked_rows_lack_is_not_that_of_booking():
    text = "Run Date,Action,Amount,Settlement Date\n2026-01-16,Fuel,-5.00,\n"
    text += "2026-01-15,Bond,-6.00,2026-01-17\n2026-01-14,Bus,-7.00,\n"
    text += "2026-01-13,Rail,-8.00,\n"
    (found,) = read(text, account="Main", currency="EUR")
    assert [date_text(entry.date) for entry in found.entries[:2]] == ["2026-01-16", "2026-01-15"]
    # The rows that lack it may be pending, unless they say that they are.
    pending = text.replace("-7.00,", "-7.00,2026-01-15")
    assert refusal(pending, currency="EUR")
    said = pending.replace("Amount", "State,Amount").replace(",-", ",Booked,-")
    said = said.replace("Fuel,Booked", "Fuel,Pending")
    assert amounts(said) == [-6, -7, -8]


def test_the_balance_of_the_day_beside_each_of_its_rows_is_not_asked_about():
    text = "Data,Título,Entrada(R$),Saída(R$),Saldo do Dia(R$)\n11/12/2026,a,0.00,108.25,905.43\n"
    text += "11/12/2026,b,41.63,0.00,905.43\n13/12/2026,c,100.00,0.00,1005.43\n"
    text += "15/12/2026,d,0.00,5.43,1000.00\n"
    assert amounts(text, currency=None) == [-108.25, 41.63, 100, -5.43]
    assert refusal(text.replace("1000.00", "1001.00"))


def test_rows_without_headings_begin_below_the_opening_balance():
    text = "ALL,0,BRANCH,4255,SANDTON,0,0\nALL,0,OPEN,{0},OPEN BALANCE,0,0\n"
    text += "HIST,20260114,,29712.37,CREDIT TRANSFER,SALARY,1642,0\n"
    text += "HIST,20260118,,-649.79,CHEQUE CARD PURCHASE,WOOLWORTHS,1949,0\n"
    text += "HIST,20260121,,-62.58,CHEQUE CARD PURCHASE,DIS-CHEM,4878,0\n"
    text += "ALL,0,CLOSE,29352.27,CLOSE BALANCE,0,0\n"
    (found,) = read(text.format("352.27"), account="Main", currency="EUR")
    assert [entry.amount for entry in found.entries] == [297_123_700, -6_497_900, -625_800]
    assert found.statement.opening.amount == 3_522_700
    assert "closing balance" in str(refusal(text.format("353.27")))


def test_a_turnover_below_the_rows_is_left_out():
    text = "Data;Descriere;Debit (RON);Credit (RON);Sold (RON)\n21/01/2026;a;155,63;;1.157,41\n"
    text += "23/01/2026;b;;168,92;1.326,33\n;Rulaj;155,63;168,92;\n;Sold final;;;1.326,33\n"
    assert amounts(text, currency=None) == [-155.63, 168.92]


def test_a_column_of_words_against_some_signs_is_offered_without_the_signs():
    text = "Action,Time,Name,No. of shares,Total\nDeposit,2026-01-13,a,,48.58\n"
    text += "Market buy,2026-01-14,b,0.05925,4.74\nCard debit,2026-01-15,c,,-152.00\n"
    first, *_ = answers(refusal(text, currency="GBP"))
    assert first == "--sign Action --mixed-signs ignore ---positive ---invert"
    assert amounts(text, sign="Action", mixed_signs="ignore") == [48.58, -4.74, -152]


def test_names_that_say_more_than_the_note_or_stand_in_some_rows_are_kept():
    text = "Date,Description,Quax,Amount\n"
    for day in range(10, 30):
        text += f"2026-01-{day},{('Card', 'Transfer')[day % 2]},Shop {'ABCD'[day % 4]},-5.00\n"
    (found,) = read(text, account="Main", currency="EUR")
    assert found.entries[0].note == "Card Shop C"
    text = "Date,Name,Merchant name,Amount\n2026-01-13,Fund,,-5.00\n2026-01-14,Bond,,-6.00\n"
    (found,) = read(f"{text}2026-01-15,,Tesco,-7.00\n", account="Main", currency="EUR")
    assert found.entries[2].payee == "Tesco"


def test_a_code_beside_a_currency_of_the_same_rows_is_one_too():
    text = "Datum;Text;Belopp;Transaktionsvaluta;Instrumentvaluta\n2026-02-19;a;-214,12;SEK;\n"
    text += "2026-02-20;b;-686,36;SEK;{0}\n"
    (found,) = read(text.format("SEK"), account="Main")
    assert found.account.currency == "SEK"
    assert "Transaktionsvaluta" in str(refusal(text.format("USD")))


def test_numbers_beside_labels_below_the_rows_count_them():
    text = "Date,Value Date,Description,Debit,Credit,Balance\n"
    text += "13-Jan-2026,13-Jan-2026,a,5.00,,995.00\n14-Jan-2026,14-Jan-2026,b,,7.00,1002.00\n"
    end = "\nTotal number of Debits,1\nTotal number of Credits,1\nEnd of the statement\n"
    assert amounts(text + end) == [-5, 7]
    assert refusal(text + end.replace("Debits,1", "Debits,,,1"), currency="EUR")


def test_thousands_are_offered_before_three_decimals():
    text = "Date;Description;Amount\n2026-01-13;a;-12.130\n2026-01-14;b;-7.450\n"
    assert answers(refusal(text, currency="EUR"))[0] == "--decimal ,"
    assert answers(refusal(text.replace(".", ","), currency="EUR"))[0] == "--decimal ."


def test_columns_named_after_fields_without_a_cell_are_no_such_fields():
    text = "Date;Account;Amount;Debit;Credit;Description\n2026-01-13;;;5.00;;a\n"
    text += "2026-01-14;;;;7.00;b\n"
    assert amounts(text) == [-5, 7]
    assert refusal(text.replace("2026-01-14;;", "2026-01-14;Main;"), currency="EUR")


def test_a_balance_shows_which_of_two_headings_of_amounts_is_what_goes_out():
    text = "Day;Text;Amount quax;Amount quux;Balance\n2026-01-13;a;5.00;;995.00\n"
    text += "2026-01-14;b;;7.00;1002.00\n2026-01-15;c;2.00;;1000.00\n"
    assert amounts(text) == [-5, 7, -2]


def test_totals_of_one_side_below_the_rows_are_left_out():
    text = "Date,Description,Debit,Credit\n13/01/2026,a,5.00,\n14/01/2026,b,,7.00\n"
    assert amounts(text + ",Total Debit,5.00,\n,Total Credit,,7.00\n") == [-5, 7]


@pytest.mark.parametrize("days", [("260104", "260218", "260331"), ("040126", "180226", "310326")])
def test_days_of_six_digits_below_a_heading_of_days_are_not_spread_over_years(days):
    rows = "".join(f"{day},Shop {day},-5.00\n" for day in days)
    (found,) = read(f"Date,Payee,Amount\n{rows}", account="Main", currency="EUR")
    read_days = [date_text(entry.date) for entry in found.entries]
    assert read_days == ["2026-01-04", "2026-02-18", "2026-03-31"]


@pytest.mark.parametrize(
    "line",
    [
        "Account: Savings 87654321,,",
        "Account,87654321,",
        "Konto: Tagesgeld,,",
        "Compte: Livret A,,",
        "IBAN: DE02 1203 0000 0000 2020 51,,",
    ],
)
def test_rows_below_the_name_of_another_account_are_refused_with_what_helps(line):
    text = f"Account: Current 12345678,,\n{HEAD}{BOOKED}\n{line}\n{HEAD}{PENDING}"
    with pytest.raises(ImportRefused) as refused:
        read(text, account="Main", currency="EUR")
    assert refused.value.line == 6
    assert "make a file of each table" in str(refused.value)
    assert "--date-format" not in str(refused.value)

"""Statements with headings in Asian scripts, Hebrew, Arabic and Ukrainian are read unasked."""

import pytest

from finance_api.values.time import date_text
from support.csv_files import read

#: Language -> headings and texts of a file with a balance, and of a file with one amount column.
SIDES = {
    "Japanese": "取引日,お取り扱い内容,お支払金額,お預り金額,差引残高|スーパー|給与",
    "Chinese": "交易日期,交易摘要,支出金额,收入金额,账户余额|超市|工资",
    "Korean": "거래일자,적요,출금액,입금액,잔액|마트|급여",
    "Vietnamese": "Ngày giao dịch,Diễn giải,Ghi nợ,Ghi có,Số dư|Siêu thị|Lương",
    "Thai": "วันที่,รายการ,ถอนเงิน,ฝากเงิน,ยอดคงเหลือ|ร้านค้า|เงินเดือน",
    "Hebrew": "תאריך,תיאור,חובה,זכות,יתרה|סופר|משכורת",
    "Arabic": "التاريخ,الوصف,مدين,دائن,الرصيد|بقالة|راتب",
    "Ukrainian": "Дата,Призначення платежу,Дебет,Кредит,Залишок|Сільпо|Зарплата",
}
ONE = {
    "Japanese": "日付,内容,金額",
    "Chinese": "日期,摘要,金额",
    "Korean": "날짜,내용,금액",
    "Vietnamese": "Ngày,Nội dung giao dịch,Số tiền",
    "Thai": "วันที่,รายละเอียด,จำนวนเงิน",
    "Hebrew": "תאריך,פרטים,סכום",
    "Arabic": "التاريخ,البيان,المبلغ",
    "Ukrainian": "Дата операції,Опис операції,Сума",
}


def found(text):
    (statement,) = read(text, account="A", currency="EUR")
    rows = [
        (date_text(entry.date), entry.amount / 10_000, entry.payee or entry.note)
        for entry in statement.entries
    ]
    closing = statement.statement.closing
    return rows, closing and closing.amount / 10_000


@pytest.mark.parametrize("language", SIDES)
def test_sides_balances_and_texts_are_found(language):
    headings, shop, wages = SIDES[language].split("|")
    text = f"{headings}\n2026-10-03,{shop},30.00,,970.00\n2026-10-13,{shop},12.50,,957.50\n"
    rows, closing = found(f"{text}2026-10-15,{wages},,3000.00,3957.50\n")
    assert rows[1:] == [("2026-10-13", -12.5, shop), ("2026-10-15", 3000, wages)]
    assert closing == 3957.5


@pytest.mark.parametrize("language", ONE)
def test_a_signed_amount_and_its_text_are_found(language):
    _, shop, wages = SIDES[language].split("|")
    text = f"{ONE[language]}\n03/10/2026,{shop},-30.00\n13/10/2026,{wages},3000.00\n"
    assert found(text)[0] == [("2026-10-03", -30, shop), ("2026-10-13", 3000, wages)]

"""Statements with headings in Asian scripts, Hebrew, Arabic and Ukrainian are read unasked."""

import pytest

from finance_api.values.time import date_text
from support.csv_files import answers, read, refusal

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


#: Headings of a status, a word for rows that are transactions, and one for rows that are not.
FAILED = """
状況 完了 処理中|取引状況 処理済 失敗|ステータス 完了 未処理|状态 成功 失败
交易状态 交易成功 交易失败|狀態 已完成 處理中|상태 정상 실패|거래상태 완료 처리중
الحالة مكتملة مرفوضة|حالة_العملية ناجحة فشلت|סטטוס בוצע נדחה|สถานะ สำเร็จ ไม่สำเร็จ
Trạng_thái Thành_công Thất_bại|Trang_thai_giao_dich Hoàn_thành Đang_xử_lý
Κατάσταση Ολοκληρώθηκε Απορρίφθηκε|ΚΑΤΑΣΤΑΣΗ Επιτυχής Σε_εκκρεμότητα
Stare Procesata Respinsa|स्थिति सफल असफल|Стан_операції Виконано Скасовано
Status_transaksi Berhasil Gagal
"""
#: Headings of a status, and its words. What was cancelled, or paid back, may have moved money.
OPEN = """
ステータス 完了 取消|状態 処理済 キャンセル|交易状态 交易成功 交易关闭
订单状态 支付成功 已全额退款|状态 已完成 已取消|狀態 已完成 已取消|상태 승인 취소
처리상태 완료 취소|상태 정상 승인취소|الحالة مكتملة ملغاة|สถานะ สำเร็จ ยกเลิก
Κατάσταση Ολοκληρώθηκε Ακυρώθηκε|Outcome Approved Chargeback
Rezultat_stare Procesata Rambursata
"""


def statuses(pairs):
    return [tuple(word.replace("_", " ") for word in each.split())
            for line in pairs.strip().splitlines() for each in line.split("|")]  # fmt: skip


def with_status(status, booked, other):
    rows = "".join(
        f"2026-10-{day};Shop {day % 5};-{day}.25;{other if day == 21 else booked}\n"
        for day in range(11, 29)
    )
    return f"Date;Description;Amount;{status}\n{rows}"


@pytest.mark.parametrize(("status", "booked", "failed"), statuses(FAILED))
def test_rows_whose_status_says_that_they_failed_are_left_out(status, booked, failed):
    rows, _ = found(with_status(status, booked, failed))
    assert len(rows) == 17 and "2026-10-21" not in dict(row[:2] for row in rows)


@pytest.mark.parametrize(("status", "booked", "other"), statuses(OPEN))
def test_words_of_a_status_that_are_not_known_are_asked_about(status, booked, other):
    text = with_status(status, booked, other)
    offered = answers(refusal(text, account="A", currency="EUR"))
    assert all("--only" in words for words in offered)
    assert f"{status}={other}" not in offered[0] and f"{status}={other}" in offered[1]


@pytest.mark.parametrize("given", [{}, {"currency": "RUB"}, {"currency": "RUR"}])
def test_the_former_code_of_the_rouble_means_the_rouble(given):
    rows = "25.03.2026;RUR;Пятёрочка;0;1306,00\n24.03.2026;RUR;Зарплата;9000,00;0\n"
    (statement,) = read(
        f"Дата операции;Валюта;Описание;Приход;Расход\n{rows}", account="A", **given
    )
    assert statement.statement.account.currency == "RUB"


def test_arabic_digits_and_marks_are_read_unasked():
    text = "التاريخ,البيان,المبلغ,الرصيد\n٢٠٢٦/٠٢/٠٣,بقالة,-١٢٩٫٨٦,٥٬٥٣٩٫١٤\n"
    rows, closing = found(text + "٢٠٢٦/٠٢/١٨,راتب,١٬٠٠٠٫٠٠,٦٬٥٣٩٫١٤\n")
    assert rows == [("2026-02-03", -129.86, "بقالة"), ("2026-02-18", 1_000, "راتب")]
    assert closing == 6_539.14

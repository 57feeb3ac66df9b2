"""Two columns of dates: the day of booking and the value date."""

import random
from datetime import date, timedelta

import pytest

from finance_api.values.time import date_text
from support.csv_files import answers, read, refusal
from support.nightly import count

#: Days of booking in order, and value dates that are not.
PAIRS = (("03.02.2026", "04.02.2026"), ("05.02.2026", "03.02.2026"), ("17.02.2026", "27.02.2026"))
HEADINGS = "Dat 1;Dat 2;Payee;Amount\n"


def days(text, **options):
    (found,) = read(text, account="A", currency="EUR", **options)
    return [(date_text(e.date), e.value_date and date_text(e.value_date)) for e in found.entries]


def table(pairs, headings=HEADINGS):
    amounts = ("-12.50", "900.00", "-7.30")
    rows = zip(pairs, amounts, strict=False)
    return headings + "".join(f"{a};{b};Shop {n};{n}\n" for (a, b), n in rows)


@pytest.mark.parametrize("headings", [HEADINGS, ""])
def test_of_two_columns_of_nearly_the_same_days_the_one_in_order_has_the_days_of_booking(headings):
    meant = [("2026-02-03", "2026-02-04"), ("2026-02-05", "2026-02-03")]
    meant += [("2026-02-17", "2026-02-27")]
    assert days(table(PAIRS, headings)) == meant
    turned = [(b, a) for a, b in PAIRS]
    assert days(table(turned, headings)) == meant
    (found,) = read(table(turned), account="A", currency="EUR")
    assert {
        "recordDate is 'Dat 2': its days are in order",
        "valueDate is 'Dat 1': its days are near those of booking",
    } <= {str(remark) for remark in found.statement.remarks}


def test_a_heading_in_any_language_says_which_of_two_near_days_is_that_of_booking():
    pairs = [*PAIRS[:2], ("17.02.2026", "19.02.2026")]
    first, second = zip(*days(table(pairs, "Date X;Y;Payee;Amount\n")), strict=True)
    assert days(table(pairs, "Y;Bogført dato;Payee;Amount\n")) == [*zip(second, first, strict=True)]
    assert days(table(pairs, "Ημ/νία;Τοκισμός από;Payee;Amount\n")) == [
        *zip(first, second, strict=True)
    ]


def test_the_first_row_of_a_file_without_headings_counts_for_the_order():
    pairs = [("05.01.2026", "02.01.2026"), ("01.01.2026", "03.01.2026")]
    pairs += [("07.01.2026", "07.01.2026"), ("12.01.2026", "09.01.2026")]
    rows = "".join(f"{a};{b};Shop {n};-{n}.50\n" for n, (a, b) in enumerate(pairs, 1))
    assert [day[-2:] for day, _ in days(rows, positive="in")] == ["02", "03", "07", "09"]


def test_if_both_columns_are_in_order_the_first_has_the_days_of_booking():
    pairs = [("03.02.2026", "04.02.2026"), ("05.02.2026", "05.02.2026"), ("17.02.2026",) * 2]
    assert [day for day, _ in days(table(pairs))] == ["2026-02-03", "2026-02-05", "2026-02-17"]


@pytest.mark.parametrize(
    "pair",
    [
        ("17.02.2026", "28.02.2026"),
        ("17.02.2026", "17.02.2025"),
        ("17.02.2026", ""),
        ("17.02.2026", "pending"),
    ],
)
@pytest.mark.parametrize("rows_before", [0, 300])
def test_days_that_are_far_apart_or_have_gaps_in_any_row_are_asked_about(pair, rows_before):
    rows = "03.02.2026;04.02.2026;A;-12.50\n05.02.2026;03.02.2026;B;9.00\n"
    for n in range(rows_before):
        rows += f"06.02.2026;07.02.2026;C;{n}.10\n"
    refused = refusal(f"{HEADINGS}{rows}{';'.join(pair)};D;-7.30\n", currency="EUR")
    offered = answers(refused)
    assert "recordDate=Dat 1" in offered[0]
    assert any("recordDate=Dat 2" in each for each in offered)


def test_one_day_in_all_rows_is_not_that_of_booking_in_silence():
    pairs = [("28.02.2026", day) for day in ("20.02.2026", "21.02.2026", "27.02.2026")]
    offered = answers(refusal(table(pairs), currency="EUR"))
    assert any("recordDate=Dat 2" in each for each in offered)


@pytest.mark.nightly
def test_days_of_random_files_with_two_dates_are_those_of_booking_or_asked_about():
    for seed in range(count(60, 3_000)):
        pick = random.Random(seed)
        day, pairs = date(2026, 1, 2), []
        for _ in range(pick.randint(3, 40)):
            day += timedelta(days=pick.randint(0, 6))
            pairs.append((day, day + timedelta(days=pick.choice((-2, -1, 0, 0, 1, 2, 3)))))
        if pick.random() < 0.5:
            pairs.reverse()
        form = pick.choice(("%d.%m.%Y", "%Y-%m-%d", "%d/%m/%Y", "%Y%m%d"))
        is_second = pick.random() < 0.5
        rows = []
        for n, pair in enumerate(pairs, 1):
            texts = [each.strftime(form) for each in (pair[::-1] if is_second else pair)]
            rows.append(f"{';'.join(texts)};Shop {n};{pick.choice('+-')}{n}.{n:02}\n")
        text = pick.choice((HEADINGS, "")) + "".join(rows)
        if any(len(set(column)) == 1 for column in zip(*pairs, strict=True)):
            continue
        found = days(text, date_format=form, positive="in")
        assert all(
            {day, value or day} <= {str(one), str(other)}
            for (day, value), (one, other) in zip(found, pairs, strict=True)
        ), text
        values = [value for _, value in pairs]
        if values not in (sorted(values), sorted(values, reverse=True)):
            assert [day for day, _ in found] == [str(one) for one, _ in pairs], text

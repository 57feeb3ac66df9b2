"""Exchange rates."""

from decimal import Decimal

from finance_api.storage.interface import NO_RATES, RatesState, unit_of_work
from finance_api.storage.testing.units import DAY, OneUser, Unit
from finance_api.values.rates import DayRates

#: More digits than a binary float has, and a small number.
EXACT = {"USD": Decimal("1.0842"), "JPY": Decimal("160.12345678901234567890")}
SMALL = {"VES": Decimal("0.0000000000000000001")}


class RatesConformance(OneUser):
    """Exchange rates, which are nobody's."""

    def test_rates_are_exact_and_in_the_order_of_day_and_base(self, unit: Unit) -> None:
        of_days = [
            DayRates(-DAY, "EUR", SMALL),
            DayRates(0, "EUR", EXACT),
            DayRates(0, "USD", SMALL),
            DayRates(DAY, "EUR", EXACT),
        ]
        with unit.writing() as storage:
            storage.rates.put(of_days[::-1])
            storage.rates.put([])
            assert storage.rates.list_days() == of_days
        with unit.reading() as storage:
            assert storage.rates.list_days() == of_days
            assert storage.rates.list_days([0, 5 * DAY, -DAY]) == of_days[:3]
            assert storage.rates.list_days([]) == []

    def test_the_rates_of_a_day_and_base_are_replaced_as_a_whole(self, unit: Unit) -> None:
        with unit.writing() as storage:
            storage.rates.put([DayRates(0, base, EXACT) for base in ("EUR", "USD")])
            storage.rates.put([DayRates(0, "EUR", SMALL), DayRates(DAY, "EUR", SMALL)])
        with unit.reading() as storage:
            assert storage.rates.list_days() == [
                DayRates(0, "EUR", SMALL),
                DayRates(0, "USD", EXACT),
                DayRates(DAY, "EUR", SMALL),
            ]

    def test_the_state_of_rates_is_the_one_that_was_set(self, unit: Unit) -> None:
        for state in (
            RatesState(1, 10, frozenset({"EUR", "USD"})),
            RatesState(2, 20, frozenset({"EUR", "USD", "CHF"})),
        ):
            with unit.writing() as storage:
                storage.rates.lock()
                storage.rates.set_state(state)
            with unit.reading() as storage:
                assert storage.rates.get_state() == state
            with unit.writing() as storage:
                assert storage.rates.lock() == state

    def test_a_reader_sees_one_state_of_rates(self, unit: Unit) -> None:
        with unit.reading() as storage:
            assert storage.rates.get_state() == NO_RATES
            with unit_of_work(unit.backend) as writing:
                writing.rates.put([DayRates(0, "EUR", EXACT)])
                writing.rates.set_state(RatesState(1, 10, frozenset({"EUR"})))
            assert storage.rates.list_days() == []
            assert storage.rates.get_state() == NO_RATES
        with unit.reading() as storage:
            assert len(storage.rates.list_days()) == storage.rates.get_state().revision == 1
            assert storage.rates.list_days([5 * DAY]) == []

    def test_rates_stay_when_a_user_goes(self, unit: Unit) -> None:
        with unit.writing() as storage:
            storage.rates.put([DayRates(0, "EUR", EXACT)])
            storage.users.delete(unit.user.id)
            assert len(storage.rates.list_days()) == 1

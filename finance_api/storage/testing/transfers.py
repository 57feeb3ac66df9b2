"""Pairs of records that look like transfers."""

from finance_api.storage.interface import TransferProposal
from finance_api.storage.testing.units import OneUser, Unit, make_id

DAY = 86_400


def _proposal(number: int, day: int) -> TransferProposal:
    return TransferProposal(make_id(number), make_id(100 + number), day * DAY, number % 2 == 0)


class TransfersConformance(OneUser):
    """Proposals of transfers."""

    def test_proposals_are_listed_from_the_newest_on(self, unit: Unit) -> None:
        one, two, three = _proposal(1, -5), _proposal(2, 3), _proposal(3, 3)
        with unit.writing() as storage:
            storage.transfers.replace(unit.user.id, -9 * DAY, 9 * DAY, [three, one, two])
            assert storage.transfers.count(unit.user.id) == 3
        with unit.reading() as storage:
            found = storage.transfers.list_newest(unit.user.id, limit=9)
            assert found == [two, three, one]
            assert storage.transfers.list_newest(unit.user.id, limit=1, offset=1) == [three]
            assert storage.transfers.count(unit.user.id) == 3

    def test_proposals_of_some_days_are_replaced(self, unit: Unit) -> None:
        first, second, last = (_proposal(n, n) for n in (1, 2, 3))
        with unit.writing() as storage:
            storage.transfers.replace(unit.user.id, 0, 9 * DAY, [first, second, last])
            storage.transfers.replace(unit.user.id, 2 * DAY, 3 * DAY, [_proposal(4, 2)])
            found = storage.transfers.list_newest(unit.user.id, limit=9)
            assert found == [last, _proposal(4, 2), first]

    def test_proposals_are_forgotten_with_either_record(self, unit: Unit) -> None:
        proposals = [_proposal(n, n) for n in (1, 2, 3)]
        with unit.writing() as storage:
            storage.transfers.replace(unit.user.id, 0, 9 * DAY, proposals)
            storage.transfers.forget(unit.user.id, [])
            storage.transfers.forget(unit.user.id, [make_id(1), make_id(103), make_id(77)])
            assert storage.transfers.list_newest(unit.user.id, limit=9) == proposals[1:2]

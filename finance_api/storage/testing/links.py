"""Links of saved questions."""

import pytest

from finance_api.storage.errors import NotFound
from finance_api.storage.interface import QuestionLink, User
from finance_api.storage.testing.units import OneUser, Unit, add_user, make_id


def make_link(user: User, number: int, question: int = 1) -> QuestionLink:
    """Return a link; its digest is ``number``."""
    return QuestionLink(
        id=make_id(number),
        user_id=user.id,
        question_id=make_id(question),
        name=f"link {number}",
        sha256=f"{number:064x}",
        created_at=number,
    )


class LinksConformance(OneUser):
    """Tests links of saved questions."""

    def test_links_are_found_by_their_digest_with_their_owner(
        self, unit: Unit, other: Unit
    ) -> None:
        first, second = make_link(unit.user, 1), make_link(unit.user, 2)
        with unit.writing() as storage:
            for link in (second, first, make_link(other.user, 3)):
                storage.links.add(link)
        with unit.reading() as storage:
            assert storage.links.get_owner(first.sha256) == (first, unit.user)
            assert storage.links.list_by_user(unit.user.id) == [first, second]
            with pytest.raises(NotFound):
                storage.links.get_owner("0" * 64)
        with pytest.raises(NotFound), unit.writing() as storage:
            storage.users.delete(unit.user.id)
            storage.links.add(make_link(unit.user, 4))

    def test_a_user_revokes_only_own_links_and_each_once(self, unit: Unit, other: Unit) -> None:
        with unit.writing() as storage:
            for number in (1, 2, 3):
                storage.links.add(make_link(unit.user, number))
            storage.links.add(make_link(other.user, 4))
            storage.links.revoke(unit.user.id, 50, [make_id(1)])
            storage.links.revoke(unit.user.id, 60, [make_id(n) for n in (1, 2, 4, 9)])
            storage.links.revoke(unit.user.id, 70, [])
        with unit.reading() as storage:
            found = [link.revoked_at for link in storage.links.list_by_user(unit.user.id)]
            assert found == [50, 60, None]
            assert storage.links.get_owner(f"{4:064x}")[0].revoked_at is None

    def test_the_last_use_of_a_link_only_moves_forward(self, unit: Unit) -> None:
        with unit.writing() as storage:
            storage.links.add(make_link(unit.user, 1))
            for used_at in ({make_id(1): 70, make_id(9): 70}, {make_id(1): 60}, {}):
                storage.links.set_used(used_at)
        with unit.reading() as storage:
            assert storage.links.list_by_user(unit.user.id)[0].last_used_at == 70

    def test_links_are_deleted_with_their_user(self, unit: Unit) -> None:
        with unit.writing() as storage:
            storage.links.add(make_link(unit.user, 1))
            storage.users.delete(unit.user.id)
            add_user(storage, unit.user.email)
        with unit.reading() as storage:
            assert storage.links.list_by_user(unit.user.id) == []
            with pytest.raises(NotFound):
                storage.links.get_owner(f"{1:064x}")

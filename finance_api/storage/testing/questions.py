"""Saved questions."""

from dataclasses import replace
from typing import Any

import pytest

from finance_api.storage.errors import Conflict, NotFound
from finance_api.storage.interface import Question, User
from finance_api.storage.testing.units import OneUser, Unit, make_id


def make_question(user: User, number: int, **values: Any) -> Question:
    question = Question(
        make_id(number), user.id, f"question {number}", "/v1/api/records?limit=5", 10, 10
    )
    return replace(question, **values)


class QuestionsConformance(OneUser):
    def test_questions_are_found_by_id_and_listed_by_name(self, unit: Unit) -> None:
        asked = [make_question(unit.user, n, name=name) for n, name in ((1, "ß"), (2, "B"))]
        with unit.writing() as storage:
            for question in asked:
                storage.questions.add(question)
        with unit.reading() as storage:
            assert storage.questions.get(unit.user.id, make_id(1)) == asked[0]
            assert storage.questions.list_by_user(unit.user.id) == asked[::-1]

    def test_a_question_is_changed_and_deleted(self, unit: Unit) -> None:
        question, user_id = make_question(unit.user, 1), unit.user.id
        with unit.writing() as storage:
            storage.questions.add(question)
            changes: dict[str, Any] = {
                "name": "new",
                "address": "/v1/api/budgets",
                "updated_at": 20,
            }
            changed = storage.questions.update(user_id, question.id, **changes)
            assert changed == replace(question, **changes)
        with unit.writing() as storage:
            assert storage.questions.get(user_id, question.id) == changed
            storage.questions.delete(user_id, question.id)
            with pytest.raises(NotFound):
                storage.questions.get(user_id, question.id)
            with pytest.raises(NotFound):
                storage.questions.update(user_id, question.id, name="a")
            with pytest.raises(NotFound):
                storage.questions.delete(user_id, question.id)

    def test_a_question_is_its_user_s_alone(self, unit: Unit, other: Unit) -> None:
        mine, theirs = make_question(unit.user, 1), make_question(other.user, 2)
        with unit.writing() as storage:
            storage.questions.add(mine)
            storage.questions.add(replace(theirs, name=mine.name))
            with pytest.raises(NotFound):
                storage.questions.get(unit.user.id, theirs.id)
            with pytest.raises(NotFound):
                storage.questions.update(unit.user.id, theirs.id, name="stolen")
            with pytest.raises(NotFound):
                storage.questions.delete(unit.user.id, theirs.id)
            storage.users.delete(unit.user.id)
            assert storage.questions.list_by_user(unit.user.id) == []
            left = storage.questions.list_by_user(other.user.id)
            assert left == [replace(theirs, name=mine.name)]
        with pytest.raises(NotFound), unit.writing() as storage:
            storage.questions.add(make_question(replace(other.user, id=other.user.id + 9), 3))

    def test_a_name_is_used_once(self, unit: Unit) -> None:
        one, two = (make_question(unit.user, n) for n in (1, 2))
        with unit.writing() as storage:
            storage.questions.add(one)
            storage.questions.add(two)
            storage.questions.update(unit.user.id, two.id, name=two.name)
        with pytest.raises(Conflict), unit.writing() as storage:
            storage.questions.add(make_question(unit.user, 3, name=one.name))
        with pytest.raises(Conflict), unit.writing() as storage:
            storage.questions.update(unit.user.id, two.id, name=one.name)
        with unit.reading() as storage:
            assert storage.questions.list_by_user(unit.user.id) == [one, two]

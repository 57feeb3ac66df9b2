"""Saved questions."""

from dataclasses import replace
from typing import Any

from finance_api.storage.errors import Conflict, NotFound
from finance_api.storage.interface import Question, QuestionWriter
from finance_api.storage.memory.database import Part


class MemoryQuestions(Part, QuestionWriter):
    def get(self, user_id: int, question_id: str) -> Question:
        question = self._unit.database.questions.get(question_id)
        if question is None or question.user_id != user_id:
            raise NotFound("there is no such question")
        return question

    def list_by_user(self, user_id: int) -> list[Question]:
        found = [q for q in self._unit.database.questions.values() if q.user_id == user_id]
        return sorted(found, key=lambda question: question.name)

    def add(self, question: Question) -> None:
        self._unit.user(question.user_id)
        self._put(question)

    def update(self, user_id: int, question_id: str, **changes: Any) -> Question:
        question = replace(self.get(user_id, question_id), **changes)
        self._put(question)
        return question

    def _put(self, question: Question) -> None:
        others = self.list_by_user(question.user_id)
        if any(q.name == question.name and q.id != question.id for q in others):
            raise Conflict("there is such a question already")
        self._unit.change(questions=self._unit.database.questions | {question.id: question})

    def delete(self, user_id: int, question_id: str) -> None:
        self.get(user_id, question_id)
        questions = self._unit.database.questions
        self._unit.change(questions={k: q for k, q in questions.items() if k != question_id})

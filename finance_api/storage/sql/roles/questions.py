"""Saved questions."""

from dataclasses import asdict, fields
from typing import Any

from sqlalchemy import ColumnElement, delete, insert, select, update
from sqlalchemy.exc import IntegrityError

from finance_api.storage.errors import Conflict, NotFound, StorageError
from finance_api.storage.interface import Question, QuestionWriter
from finance_api.storage.sql.connections.failures import is_duplicate
from finance_api.storage.sql.connections.unit import Part
from finance_api.storage.sql.parameters import USER, text_parameter
from finance_api.storage.sql.tables import questions

_COLUMNS = [questions.c[field.name] for field in fields(Question)]
_QUESTION = select(*_COLUMNS).where(
    questions.c.user_id == USER, questions.c.id == text_parameter("question")
)
_QUESTIONS_OF_USER = select(*_COLUMNS).where(questions.c.user_id == USER).order_by(questions.c.name)


class SqlQuestions(Part, QuestionWriter):
    def get(self, user_id: int, question_id: str) -> Question:
        values = {"user": user_id, "question": question_id}
        for row in self.connection.fetch(_QUESTION, values=values):
            return Question(*row)
        raise NotFound("there is no such question")

    def list_by_user(self, user_id: int) -> list[Question]:
        found = self.connection.fetch(_QUESTIONS_OF_USER, values={"user": user_id})
        return [Question(*row) for row in found]

    def add(self, question: Question) -> None:
        try:
            self.connection.execute(insert(questions).values(asdict(question)))
        except IntegrityError as error:
            raise _refusal(error) from error

    def update(self, user_id: int, question_id: str, **changes: Any) -> Question:
        which = _which(user_id, question_id)
        try:
            self.connection.execute(update(questions).where(which).values(**changes))
        except IntegrityError as error:
            raise _refusal(error) from error
        return self.get(user_id, question_id)

    def delete(self, user_id: int, question_id: str) -> None:
        done = self.connection.execute(delete(questions).where(_which(user_id, question_id)))
        if done.rowcount == 0:
            raise NotFound("there is no such question")


def _which(user_id: int, question_id: str) -> ColumnElement[bool]:
    return (questions.c.user_id == user_id) & (questions.c.id == question_id)


def _refusal(error: IntegrityError) -> StorageError:
    if is_duplicate(error):
        return Conflict("there is such a question already")
    return NotFound("there is no such user")

"""Saved questions: a name, and the request to the public API that answers it."""

from abc import ABC, abstractmethod
from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True, slots=True)
class Question:
    """A saved question. address: path and query of a GET request, without the suffix of a format.

    The name is unique among the user's questions.
    """

    id: str
    user_id: int
    name: str
    address: str
    created_at: int
    updated_at: int


class QuestionReader(ABC):
    @abstractmethod
    def get(self, user_id: int, question_id: str) -> Question:
        """Return a question. Raises NotFound, also if it belongs to another user."""

    @abstractmethod
    def list_by_user(self, user_id: int) -> list[Question]:
        """Return the user's questions, ordered by name."""


class QuestionWriter(QuestionReader):
    @abstractmethod
    def add(self, question: Question) -> None:
        """Add a question. Raises Conflict if the name is taken, NotFound without such a user."""

    @abstractmethod
    def update(self, user_id: int, question_id: str, **changes: Any) -> Question:
        """Change `name`, `address` or `updated_at`. Raises Conflict and NotFound."""

    @abstractmethod
    def delete(self, user_id: int, question_id: str) -> None:
        """Delete a question. Raises NotFound."""

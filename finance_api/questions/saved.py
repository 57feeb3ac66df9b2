"""Saving questions, and their limits."""

from finance_api.questions.addresses import AddressRefused
from finance_api.storage.errors import Conflict, NotFound
from finance_api.storage.interface import Question, Storage, User, WritableStorage
from finance_api.values.ids import new_id
from finance_api.values.text import TextError, clean_or_none

MAX_QUESTIONS = 200
MAX_NAME_CHARACTERS = 100


class QuestionRefused(AddressRefused):
    """The question is not saved; the message says why."""


def checked_name(name: str, noun: str = "question") -> str:
    """Return the name of a question, or of its link, as we store it. Raises QuestionRefused."""
    try:
        cleaned = clean_or_none(" ".join(name.split()))
    except TextError as error:
        raise QuestionRefused(f"The name {error}.") from None
    if cleaned is None:
        raise QuestionRefused(f"A {noun} needs a name.")
    if len(cleaned) > MAX_NAME_CHARACTERS:
        raise QuestionRefused(f"The name has more than {MAX_NAME_CHARACTERS} characters.")
    return cleaned


def find_question(storage: Storage, user: User, name: str) -> Question | None:
    """Return the user's question with this name or id."""
    found = [q for q in storage.users.list_owned(Question, user.id) if name in (q.name, q.id)]
    return found[0] if found else None


def get_question(storage: Storage, user: User, name: str) -> Question:
    """Return the question that `find_question` finds. Raises NotFound."""
    found = find_question(storage, user, name)
    if found is None:
        raise NotFound(f'there is no question named "{name}"')
    return found


def add_question(
    storage: WritableStorage, user: User, *, name: str, address: str, now: int
) -> Question:
    """Save a question. address: a `checked_address`. Raises QuestionRefused, NotFound."""
    storage.users.lock(user.id)
    if len(storage.users.list_owned(Question, user.id)) >= MAX_QUESTIONS:
        raise QuestionRefused(
            f"There are {MAX_QUESTIONS} questions, the maximum: remove one first."
        )
    question = Question(new_id(), user.id, checked_name(name), address, now, now)
    try:
        storage.users.add_owned(question)
    except Conflict:
        raise _taken(question.name) from None
    return question


def change_question(
    storage: WritableStorage, question: Question, *, name: str, address: str, now: int
) -> Question:
    """Change a question. address: a `checked_address`. Raises QuestionRefused, NotFound."""
    changes = {"name": checked_name(name), "address": address, "updated_at": now}
    try:
        return storage.users.update_owned(
            Question, question.id, user_id=question.user_id, **changes
        )
    except Conflict:
        raise _taken(checked_name(name)) from None


def _taken(name: str) -> QuestionRefused:
    return QuestionRefused(f'There is already a question named "{name}": choose another name.')

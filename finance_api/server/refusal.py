"""Why a message is refused."""


class Refusal(Exception):
    """A message that is answered here and never reaches the application.

    status: of the answer, 4xx or 5xx. detail: one sentence for a person; it repeats nothing that
    the client sent.
    """

    def __init__(self, status: int, detail: str) -> None:
        super().__init__(detail)
        self.status = status
        self.detail = detail

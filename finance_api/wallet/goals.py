"""Goals below /wallet."""

from finance_api.resources import GOALS
from finance_api.wallet.members import TIMES, Shape, members, money

GOAL = Shape(
    "Goal",
    members(
        GOALS,
        "id name note color state targetAmount initialAmount desiredDate stateUpdatedAt=updatedAt "
        f"{TIMES}",
        money("targetAmount", GOALS["targetAmount"]),
        money("initialAmount", GOALS["savedAmount"]),
    ),
)

"""A short run of chaos, always the same schedule."""

import pytest

from tests.chaos.checks import all_wrong
from tests.chaos.figures import figures
from tests.chaos.report import keep
from tests.chaos.run import run
from tests.chaos.schedule import Plan, Schedule

pytestmark = pytest.mark.xdist_group("loads the machine")

# Half of what `make chaos` does in that time, for machines that are busy with other things.
SHORT = Plan(seed=20_261, seconds=35, chats=60, processes=3, kills=15, bursts=110)


def test_a_seed_decides_the_schedule() -> None:
    assert Schedule(SHORT).happenings == Schedule(SHORT).happenings
    other = Plan(SHORT.seed + 1, SHORT.seconds)
    assert Schedule(other).happenings != Schedule(SHORT).happenings


@pytest.mark.timeout(600)
async def test_nothing_is_lost_or_answered_twice_in_chaos() -> None:
    schedule = Schedule(SHORT)
    evidence = await run(SHORT, schedule)
    wrong = all_wrong(evidence)
    assert not wrong, f"{wrong[:10]}; all of it is in {keep(evidence, schedule, wrong)}"
    done = figures(SHORT, evidence)
    assert done["kills"] > 0
    assert len(evidence.accounts.worst) > 10, "a story"
    assert done["runs sent"] > SHORT.chats / 2

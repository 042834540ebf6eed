"""Any verb, by any process, at any time, against the model; then everything is answered."""

import pytest
from hypothesis import Phase, settings
from hypothesis.stateful import run_state_machine_as_test

from tests.protocol.rules import Protocol
from tests.protocol.stage import staged
from tests.support.searching import EXAMPLES, search

SETTINGS = settings(
    search(80),
    stateful_step_count=50,
    phases=[Phase.explicit, Phase.generate, Phase.shrink],
)


@pytest.mark.timeout(0 if EXAMPLES else 900)
def test_g1_to_g11_hold_whatever_happens(database_url: str) -> None:
    with staged(database_url) as stage:

        class OnThisStage(Protocol):
            def __init__(self) -> None:
                super().__init__(stage)

        run_state_machine_as_test(OnThisStage, settings=SETTINGS)

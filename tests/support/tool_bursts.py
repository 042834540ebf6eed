"""Bursts as a run knows them, for what needs no more than their numbers."""

from datetime import UTC, datetime

from storage.records import Burst, Run, RunNumber, Seq, Version


def burst(answered_seq: int = 0, last_seq: int = 1) -> Burst:
    """One that begins after `answered_seq`."""
    return Burst(
        run=Run(RunNumber(1), Version(1)),
        answered_seq=Seq(answered_seq),
        last_seq=Seq(last_seq),
        final_at=datetime(2100, 1, 1, tzinfo=UTC),
        final_in=60.0,
        model_attempts=0,
    )

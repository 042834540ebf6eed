"""The guarantees, read from the tables before and after a step; the model has no say here."""

from collections.abc import Iterator
from typing import Any

from tests.support.acts import CAP
from tests.support.tables import Rows

Row = dict[str, Any]
FINISHED = ("sent", "failed", "undeliverable", "cancelled")
UNDER_WAY = ("generating", "committed")


def check(before: Rows, after: Rows) -> None:
    """Fail on the first guarantee that the step broke."""
    g1_finished_ranges_tile(after)
    g2_counter_and_watermark_only_rise(before, after)
    g3_fences_only_rise(before, after)
    g4_windows_close_within_their_cap(before, after)
    g6_unanswered_means_a_window(after)
    g10_only_a_finished_run_moves_the_watermark(before, after)
    g10_what_ended_stays_as_it_ended(before, after)


def g1_finished_ranges_tile(after: Rows) -> None:
    for conversation in after["conversations"]:
        covered = 0
        for run in _of(conversation, after["runs"]):
            if run["state"] in FINISHED:
                assert run["first_seq"] == covered + 1
                covered = run["last_seq"]
        assert covered == conversation["answered_seq"]


def g2_counter_and_watermark_only_rise(before: Rows, after: Rows) -> None:
    for old, new in _same("conversations", before, after):
        assert new["inbound_seq"] >= old["inbound_seq"]
        assert new["answered_seq"] >= old["answered_seq"]
    for conversation in after["conversations"]:
        messages = list(_of(conversation, after["messages"]))
        assert conversation["answered_seq"] <= conversation["inbound_seq"] == len(messages)
        assert [message["seq"] for message in messages] == list(range(1, len(messages) + 1))


def g3_fences_only_rise(before: Rows, after: Rows) -> None:
    for old, new in _same("conversations", before, after):
        assert new["lease_fence"] >= old["lease_fence"]
        if new["lease_holder"] not in (old["lease_holder"], None):
            assert new["lease_fence"] == old["lease_fence"] + 1


def g4_windows_close_within_their_cap(before: Rows, after: Rows) -> None:
    for window in after["windows"]:
        assert window["closes_at"] <= window["cap_at"] == window["opened_at"] + CAP
    for old, new in _same("windows", before, after):
        if old["opened_at"] == new["opened_at"]:
            assert old["closes_at"] <= new["closes_at"]
        else:
            assert old["consumed_by"] is not None


def g6_unanswered_means_a_window(after: Rows) -> None:
    for conversation in after["conversations"]:
        windows = list(_of(conversation, after["windows"]))
        is_unanswered = conversation["inbound_seq"] > conversation["answered_seq"]
        assert len(windows) == int(is_unanswered)


def g10_only_a_finished_run_moves_the_watermark(before: Rows, after: Rows) -> None:
    finished = {_place(run): run for run in after["runs"] if run["state"] in FINISHED}
    for run in before["runs"]:
        if run["state"] in FINISHED:
            del finished[_place(run)]
    moved = {
        _place(new)[:2]: new["answered_seq"]
        for old, new in _same("conversations", before, after)
        if old["answered_seq"] != new["answered_seq"]
    }
    assert moved == {_place(run)[:2]: run["last_seq"] for run in finished.values()}


def g10_what_ended_stays_as_it_ended(before: Rows, after: Rows) -> None:
    for old, new in _same("runs", before, after):
        if old["state"] not in UNDER_WAY:
            assert new == old
        assert (new["ended_at"] is None) == (new["state"] in UNDER_WAY)


def _of(conversation: Row, rows: list[Row]) -> Iterator[Row]:
    key = _place(conversation)[:2]
    return (row for row in rows if _place(row)[:2] == key)


def _same(table: str, before: Rows, after: Rows) -> Iterator[tuple[Row, Row]]:
    old = {_place(row): row for row in before[table]}
    return ((old[_place(row)], row) for row in after[table] if _place(row) in old)


def _place(row: Row) -> tuple[int, int, int]:
    return row["chat_id"], row["thread_id"], row.get("number", 0)

"""Backing off without chance, and sooner, so that a test can say how long each pause must be."""

from types import SimpleNamespace

import pytest

SHARE = 1 / 8


def use_steady_pauses(monkeypatch: pytest.MonkeyPatch, share: float = SHARE) -> None:
    """Have every pause last the same share of the longest that could have been drawn."""

    def pause(_shortest: float, longest: float) -> float:
        return longest * share

    monkeypatch.setattr("coordination.patience.random", SimpleNamespace(uniform=pause))

"""The points between the steps of the program, for those who test what a fault there does."""

from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager

FaultPoint = Callable[[str], Awaitable[None]]
"""Told "before …" and "after …" each transaction and each outward call. Tests delay, raise or
kill there."""


async def no_fault(_where: str) -> None:
    """What production passes."""


@asynccontextmanager
async def step(at: FaultPoint, name: str) -> AsyncIterator[None]:
    """One step; if it raises there is no "after"."""
    await at(f"before {name}")
    yield
    await at(f"after {name}")

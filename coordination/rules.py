"""The settings that coordination works by, already checked."""

from dataclasses import dataclass
from datetime import timedelta
from typing import Literal

OnUncertainDelivery = Literal["balanced", "hold", "resend"]


@dataclass(frozen=True, slots=True)
class Rules:
    """All that an operator can turn; `.env.example` says what each does."""

    quiet: timedelta
    cap: timedelta
    lease_ttl: timedelta
    max_supersedes: int
    max_wait: timedelta
    max_concurrent_replies: int
    model_max_attempts: int
    outage_notice: timedelta
    history_messages: int
    summary_tokens: int
    model: str
    system_prompt: str
    on_uncertain_delivery: OnUncertainDelivery

"""What must be true after a run."""

from collections import Counter, defaultdict
from collections.abc import Iterator

from storage.records import ConversationKey
from tests.chaos.evidence import Evidence
from tests.chaos.people import marks
from tests.chaos.sights import seen_as_recorded, seen_in_order, told_to_wait_once
from tests.chaos.wrong import Wrong, key_of

FINISHED = ("sent", "failed", "undeliverable")
OUR_OWN_FAULTS = ("run_broke", "answering_failed", "composing_failed")


def all_wrong(evidence: Evidence) -> list[Wrong]:
    """Everything that is not as it must be."""
    checks = (
        received_once,
        all_answered,
        guarantees,
        replies_cover_their_ranges,
        seen_as_recorded,
        seen_in_order,
        told_to_wait_once,
        nonsense_put_aside,
        accounted_for,
        ended_as_asked,
        no_faults_of_our_own,
    )
    return [wrong for check in checks for wrong in check(evidence)]


def received_once(evidence: Evidence) -> Iterator[Wrong]:
    """G6: what Telegram had is in the database, once."""
    stored = Counter((*key_of(row), row.message_id) for row in evidence.messages)
    for number, said in evidence.said.items():
        times = stored.pop((*key_of(said), said.message_id), 0)
        if times != 1:
            yield Wrong(f"m{number} was stored {times} times", key_of(said))
    for chat_id, thread_id, message_id in stored:
        key = ConversationKey(chat_id, thread_id)
        yield Wrong(f"message {message_id} was stored, but nobody wrote it", key)


def all_answered(evidence: Evidence) -> Iterator[Wrong]:
    """G6: after a while of calm nothing is unanswered."""
    for row in evidence.conversations:
        if row.answered_seq != row.inbound_seq:
            yield Wrong(f"answered up to {row.answered_seq} of {row.inbound_seq}", key_of(row))


def guarantees(evidence: Evidence) -> Iterator[Wrong]:
    """What the audit finds."""
    for found in evidence.audit.broken:
        promise = f"{found.check.guarantee} {found.check.promise}"
        yield Wrong(f"audit: {found.violations} times not {promise}")
        for row in map(dict, found.rows):
            key = ConversationKey(int(str(row["chat_id"])), int(str(row["thread_id"])))
            yield Wrong(f"{promise}: {row}", key)


def replies_cover_their_ranges(evidence: Evidence) -> Iterator[Wrong]:
    """G1: a reply repeats the messages of its range; besides, those that got no true answer."""
    texts = {(*key_of(row), row.seq): row.text for row in evidence.messages}
    owed: defaultdict[ConversationKey, set[int]] = defaultdict(set)
    for run in evidence.runs:
        if run.state not in FINISHED:
            continue
        key = key_of(run)
        covered = range(run.first_seq, run.last_seq + 1)
        fresh = marks(" ".join(texts.get((*key, seq), "") for seq in covered))
        if run.state != "sent":
            owed[key] |= fresh
            continue
        told = marks(run.reply)
        if not fresh <= told or not told <= fresh | owed[key]:
            yield Wrong(f"run {run.number} covers {sorted(fresh)} and tells {sorted(told)}", key)
        owed[key].clear()


def nonsense_put_aside(evidence: Evidence) -> Iterator[Wrong]:
    """What cannot be read is kept for somebody to look at."""
    for number in evidence.nonsense:
        if not any(f'"nonsense {number}"' in row.payload for row in evidence.set_aside):
            yield Wrong(f"nonsense {number} is lost")
    for row in evidence.set_aside:
        if "nonsense" not in row.payload:
            yield Wrong(f"put aside: {row.error[:200]}: {row.payload[:300]}")


def accounted_for(evidence: Evidence) -> Iterator[Wrong]:
    """The read models are what the events say, whoever folded them and died meanwhile."""
    live, rebuilt = set(evidence.accounts.live), set(evidence.accounts.rebuilt)
    for tally in live ^ rebuilt:
        yield Wrong(f"only {'live' if tally in live else 'rebuilt'}: {tally}")
    counted = sum(
        tally.amount for tally in live if (tally.kind, tally.label) == ("usage", "messages")
    )
    if counted != len(evidence.messages):
        yield Wrong(f"{counted} messages in the read models, {len(evidence.messages)} stored")


def ended_as_asked(evidence: Evidence) -> Iterator[Wrong]:
    """Processes end only if somebody ends them."""
    for life in evidence.lives:
        if life.end == "unasked":
            asked = ", ".join(each.name for each in life.signalled) or "nobody"
            yield Wrong(f"process {life.pid} ended with {life.code}; asked by {asked}")


def no_faults_of_our_own(evidence: Evidence) -> Iterator[Wrong]:
    """No trouble around them breaks the bot's own code."""
    for line in evidence.log:
        if line.event in OUR_OWN_FAULTS:
            told = line.fields.get("exception", line.fields.get("error", ""))
            yield Wrong(f"process {line.life.pid}: {line.event}: {str(told)[-1500:]}")
    for outcry in evidence.outcries:
        yield Wrong(outcry)

"""One reply per burst: the protocol.

Words. A *conversation* is one private chat and its topic. The *inbound counter* (`inbound_seq`)
counts its messages; the *watermark* (`answered_seq`) is the last counter value that a finished
reply covers; what lies between is the *burst*. A *window* is the debounce: each message moves its
close, never past its cap. A *lease* is the right to answer now: a holder, a *fence* that rises at
each take, an expiry. A *run* is one attempt of a lease holder to answer a burst; it is
*superseded* if its burst grew before its reply was committed. *Commit* puts the reply into the
*outbox*, from where it is delivered part by part. A part that is refused for its *format* (rich,
then entities, then plain) is *cut anew* in the next one, together with all behind it.

    update -> receive: store + count + open or extend the window      (one statement, then return)
                 |
              window closes -> wake -> take the lease                 (losing it costs nothing)
                 |
    generating --+-- newer message, not final -> superseded  -+
        |        +-- model says later         -> postponed    +-> window due again, watermark stays
        |        +-- process stops            -> handed over  |
        |        +-- lease expired or taken   -> lost        -+
        |
      commit: fence mine and unexpired? counter still what I read, or run final?
        |
    committed -> deliver the parts in order -> finish: watermark up, window cleared if nothing
                                               newer waits, lease released: sent, failed (the
                                               reply was an apology) or undeliverable

Guarantees (the tests carry their numbers).
G1 Each message is covered by exactly one finished reply; finished ranges tile 1..watermark.
G2 Watermark <= counter; both only rise.
G3 One unexpired lease per conversation; every write of a run is fenced.
G4 A window closes within its cap. After the close and before the take a message joins the burst
   and moves nothing; during a run it opens a new window.
G5 After MAX_SUPERSEDES dropped runs, or MAX_WAIT_SECONDS, the run in hand is final.
G6 Unanswered > 0 implies a window (open, due, or waiting for a retry) or a live lease. What
   Telegram was told we have is in the database.
G7 A process may die at any instruction: leases expire, the work is taken up where it stood.
G8 A stale wake-up makes no model call and sends nothing.
G9 A tool's side effect happens once per burst, however often the run is superseded or retried.
G10 Every end of a run says what the watermark does (see the picture).
G11 Events per conversation have no gaps; replayed they give counter, watermark and run states.
"""

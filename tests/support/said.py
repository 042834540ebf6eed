"""What the bot itself says to those whose language nobody knows."""

from bot.words import Words

APOLOGY = Words().say("apology", None)
ONLY_PRIVATE = Words().say("only-private", None)
PLEASE_WAIT = Words().say("please-wait", None)
STOPPED = Words().say("stopped", None)

"""What the bot itself says."""

APOLOGY = "Sorry, I could not answer that. Please write again in a while."
STOPPED = "Stopped."
ONLY_PRIVATE = "I answer in private chats only: write to me directly and I will reply there."

"""What a message of Telegram's says, in words for the model, and the files that came with it."""

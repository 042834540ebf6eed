"""Commands: what a person asks of the bot itself. They bypass the window and ask no model."""

"""The files that people send: fetched from Telegram, and made into what a model can take."""

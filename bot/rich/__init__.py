"""Markdown on its way to Telegram: cut within the limits of a format, and rendered for it."""

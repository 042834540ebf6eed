"""Stand-ins for the two services the bot talks to, speaking the real protocols over loopback HTTP.

`telegram` is a Bot API server, `model` an OpenAI-compatible model, `page` a chat in the browser.
Local mode, the demonstration, tests and benchmarks run the production code against them.
"""

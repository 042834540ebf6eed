"""Settings that somebody could come up with."""

import os

from hypothesis import strategies as st

from bot.settings import Settings

SECRET = "Sup3r-S3cret"
RIGHT = {
    "TELEGRAM_BOT_TOKEN": f"4242:{SECRET}",
    "OPENAI_API_KEY": SECRET,
    "DATABASE_URL": f"postgresql://bot:{SECRET}@db.example/bot",
}
NAMES = [name.upper() for name in Settings.model_fields]

# What the environment of a process can hold: any bytes but NUL.
raw_values = st.one_of(
    st.binary(max_size=30).map(lambda raw: os.fsdecode(raw.replace(b"\0", b""))),
    st.text(st.characters(exclude_categories=("Cs", "Cc")), max_size=20),
    st.sampled_from(
        ["", " ", "-0", "1e400", "nan", "9" * 5_000, "0x10", "true", "null", "[]", "{"]
    ),
)

ODD_HOSTS = (
    "",
    "h..t",
    "h" * 64,
    "-x",
    "x_y",
    "[::1",
    "::1]",
    "[::1]",
    "[v1.x]",
    "999.1.1.1",
    "1.2.3",
    "127.0.0.1",
    "höst",
    "h\u2100st",
    "a b",
    "{0}",
    "%00",
    "localhost",
)
ODD_PORTS = ("", ":", ":0", ":80", ":-1", ":65536", ":port", ":\uff18\uff10", ":" + "9" * 5_000)
ODD_PATHS = ("", "/", "/v1", "/{method}", "/%zz", "/a b", "/\n", "?x", "?host=a,,b", "#", "/../..")

addresses = st.builds(
    lambda scheme, user, host, port, path: f"{scheme}{user}{host}{port}{path}",
    st.sampled_from(["http://", "https://", "postgresql://", "postgres://", "HTTP://", "http:/"]),
    st.sampled_from(["", f"bot:{SECRET}@", f"bot:{SECRET}/@", f"{SECRET}@{SECRET}@", "@", ":@"]),
    st.one_of(st.sampled_from(ODD_HOSTS), raw_values),
    st.sampled_from(ODD_PORTS),
    st.one_of(st.sampled_from(ODD_PATHS), raw_values),
)
values = st.one_of(raw_values, addresses)
environments = st.dictionaries(st.sampled_from(NAMES), values, max_size=4).map(
    lambda changed: RIGHT | changed
)

lines = st.builds(
    lambda name, value: name.encode() + b"=" + os.fsencode(value),
    st.sampled_from(NAMES),
    raw_values,
)
files = st.one_of(st.binary(max_size=200), st.lists(lines, max_size=6).map(b"\n".join))
"""What may stand in `.env`."""

"""Whether an address in the settings can be one, said without repeating any of it."""

import re
from collections.abc import Iterable
from ipaddress import AddressValueError, IPv6Address
from urllib.parse import SplitResult, parse_qsl, unquote, urlsplit

WEB_SCHEMES = ("http", "https")
POSTGRES_SCHEMES = ("postgresql", "postgresql+asyncpg", "postgres")

# Longer labels, and empty ones, make the resolver raise what nobody expects of it.
LABEL = re.compile(r"[A-Za-z0-9_]([A-Za-z0-9_-]{0,61}[A-Za-z0-9_])?")
NO_WEB_ADDRESS = re.compile(r"""[^!-~]|[{}\\^`|<>"]""")
LONGEST_HOST = 253
MOST_PORTS = 65_536
BYTE = 256
IPV4_BYTES = 4

NO_HOST = "has a host that cannot be one"
NO_PORT = "has a port that cannot be one"
UNREADABLE = "cannot be read: do its brackets fit?"


class BadAddress(ValueError):
    """What is wrong with it."""


def check_web_address(url: str) -> None:
    """Raise `BadAddress` unless paths can be appended to the URL and requested."""
    if NO_WEB_ADDRESS.search(url):
        raise BadAddress("has characters that no address has")
    parts = _split(url, WEB_SCHEMES, "must begin with http:// or https://")
    if not parts.hostname:
        raise BadAddress("must begin with http:// or https://")
    _check_host(parts.hostname, parts.netloc)
    _check_port(parts)
    if parts.query or parts.fragment or url.endswith(("?", "#")):
        raise BadAddress("must end with its path: ? and # have no place in it")


def check_postgres_url(url: str) -> None:
    """Raise `BadAddress` unless the driver can make sense of the URL."""
    parts = _split(url, POSTGRES_SCHEMES, "must begin with postgresql:// or be embedded")
    _, _, hosts = parts.netloc.partition("@")
    if parts.fragment or "@" in hosts:
        raise BadAddress("has a character in its password that must be written as %23, %40, …")
    options = _options(parts.query)
    for host in [*(hosts or parts.netloc.rpartition("@")[2]).split(","), *options.get("host", [])]:
        _check_database_host(host)
    for port in options.get("port", []):
        _check_port_number(port)


def _split(url: str, schemes: Iterable[str], advice: str) -> SplitResult:
    scheme, separator, _ = url.partition("://")
    if not separator or scheme not in schemes:
        raise BadAddress(advice)
    if not url.isprintable() or " " in url:
        raise BadAddress("has spaces or characters that cannot be seen")
    try:
        return urlsplit(url)
    except ValueError:
        raise BadAddress(UNREADABLE) from None


def _check_host(host: str, netloc: str) -> None:
    if "[" in netloc:
        try:
            IPv6Address(host.partition("%")[0])
        except AddressValueError:
            raise BadAddress(UNREADABLE) from None
        return
    labels = host.removesuffix(".").split(".")
    if len(host) > LONGEST_HOST or not all(map(LABEL.fullmatch, labels)):
        raise BadAddress(NO_HOST)
    if labels[-1].isdecimal() and not _is_ipv4(labels):
        raise BadAddress(NO_HOST)


def _is_ipv4(labels: list[str]) -> bool:
    return len(labels) == IPV4_BYTES and all(
        part.isdecimal() and int(part[:4]) < BYTE and str(int(part[:4])) == part for part in labels
    )


def _check_port(parts: SplitResult) -> None:
    try:
        port = parts.port
    except ValueError:
        port = 0
    if port == 0:
        raise BadAddress(NO_PORT)


def _check_port_number(port: str) -> None:
    if not (port.isascii() and port.isdecimal() and 0 < int(port[:6]) < MOST_PORTS):
        raise BadAddress(NO_PORT)


def _options(query: str) -> dict[str, list[str]]:
    try:
        pairs = parse_qsl(query, strict_parsing=True) if query else []
    except ValueError:
        raise BadAddress("has options that are not name=value") from None
    found: dict[str, list[str]] = {}
    for name, value in pairs:
        found[name] = value.split(",")
    return found


def _check_database_host(host: str) -> None:
    host = unquote(host)
    if not host or host.startswith("/"):
        return
    try:
        parts = urlsplit(f"//{host}")
    except ValueError:
        raise BadAddress(UNREADABLE) from None
    _check_port(parts)
    _check_host(parts.hostname or "", parts.netloc)

"""Markdown as text with entities, for `sendMessage`."""

from aiogram.types import MessageEntity
from telegramify_markdown import convert
from telegramify_markdown.config import RenderConfig
from telegramify_markdown.entity import MessageEntity as Span

from bot.parts import units
from bot.rich.plain import inline
from bot.rich.sound import changed, escaped, sound
from bot.rich.tree import parsed

_VERBATIM = frozenset({"pre", "code"})
_QUOTES = frozenset({"blockquote", "expandable_blockquote"})


def _config() -> RenderConfig:
    config = RenderConfig.isolated()
    for level in range(1, 7):
        setattr(config.markdown_symbol, f"heading_level_{level}", "")
    config.markdown_symbol.unordered_list_item = "•"
    return config


_CONFIG = _config()


def render(markdown: str) -> tuple[str, list[MessageEntity]]:
    """The text that a reader sees, and where it is formatted, in UTF-16 units."""
    # Its search for formulas does not spare code; `sound` has found them already.
    safe = _with_spelled_links(sound(markdown))
    text, spans = convert(safe, latex_escape=False, config=_CONFIG)
    shown = text.rstrip()
    shown, left_out = shown.lstrip(), units(shown) - units(shown.lstrip())
    end = units(shown)
    moved = [_within(span, span.offset - left_out, end) for span in spans]
    ordered = sorted((s for s in moved if s.length > 0), key=lambda s: (s.offset, -s.length))
    return shown, [MessageEntity(**span.to_dict()) for span in _nested(ordered)]


def _with_spelled_links(markdown: str) -> str:
    """Say where links of a table lead: it is shown as code, which holds no links."""
    changes = {
        (node.start, node.end): escaped(inline(node))
        for table in parsed(markdown).everything()
        if table.kind == "Table"
        for node in table.everything()
        if node.kind in ("Link", "Image")
    }
    return changed(markdown, changes)


def _within(span: Span, start: int, end: int) -> Span:
    first, last = max(start, 0), min(start + span.length, end)
    return span.copy_with(offset=first, length=last - first)


def _nested(spans: list[Span]) -> list[Span]:
    """Those that Telegram takes: code holds nothing, quotations no quotation, and none cross."""
    kept: list[Span] = []
    around: list[Span] = []
    for span in spans:
        while around and _end(around[-1]) <= span.offset:
            around.pop()
        kinds = {each.type for each in around}
        crosses = bool(around) and _end(around[-1]) < _end(span)
        is_quote_within = span.type in _QUOTES and bool(kinds & _QUOTES)
        if not crosses and not kinds & _VERBATIM and not is_quote_within and span.type not in kinds:
            kept.append(span)
            around.append(span)
    return kept


def _end(span: Span) -> int:
    return span.offset + span.length

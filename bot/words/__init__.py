"""All that the bot itself says, in every language there is a file for."""

from functools import cache
from importlib.resources import files

from fluent.runtime import FluentBundle, FluentResource

FALLBACK = "en"


class Words:
    """Texts by name and language; an unknown language gets English."""

    def __init__(self) -> None:
        self._bundles = _bundles()

    @property
    def languages(self) -> list[str]:
        """The codes of those there is a file for."""
        return sorted(self._bundles)

    def say(self, name: str, language: str | None, **values: str | int) -> str:
        """The text of that name, with its values filled in."""
        bundle = self._bundles[self.known(language)]
        message = bundle.get_message(name)
        if message.value is None:
            raise LookupError(name)
        said, errors = bundle.format_pattern(message.value, values)
        if errors:
            raise errors[0]
        return str(said)

    def known(self, language: str | None) -> str:
        """The language itself, or without its region, or English."""
        wanted = (language or "").lower()
        for code in (wanted, wanted.partition("-")[0]):
            if code in self._bundles:
                return code
        return FALLBACK

    def apology(self, language: str | None) -> str:
        """Said when there is no answer."""
        return self.say("apology", language)

    def stopped(self, language: str | None) -> str:
        """Said in place of an answer that was stopped before its first word."""
        return self.say("stopped", language)

    def please_wait(self, language: str | None) -> str:
        """Said once, when the answer has to wait for the model."""
        return self.say("please-wait", language)


@cache
def texts() -> dict[str, str]:
    """The files, by language."""
    return {
        each.name.removesuffix(".ftl"): each.read_text(encoding="utf-8")
        for each in files(__name__).iterdir()
        if each.name.endswith(".ftl")
    }


@cache
def _bundles() -> dict[str, FluentBundle]:
    return {language: _bundle(language, text) for language, text in texts().items()}


def _bundle(language: str, text: str) -> FluentBundle:
    bundle = FluentBundle([language], use_isolating=False)
    bundle.add_resource(FluentResource(text))
    return bundle

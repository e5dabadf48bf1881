"""How the styles of citation join the parts of a reference."""

from __future__ import annotations

_ENDS = (".", "?", "!", "…")


def imprint(place: str, publisher: str, year: str, between: str) -> str:
    """Join place and publisher by the sign between them, and the year by a comma."""
    return ", ".join(filter(None, (between.join(filter(None, (place, publisher))), year)))


def ended(text: str) -> str:
    """Return a text with a full stop, unless it ends like a sentence."""
    return text if not text or text.endswith(_ENDS) else f"{text}."


def sentences(*texts: str, between: str = " ") -> str:
    """Join the texts that are not empty, each with a full stop."""
    joined = between.join(ended(text) for text in texts if text)
    return joined.replace(".”.", ".”").replace("?”.", "?”").replace("!”.", "!”")

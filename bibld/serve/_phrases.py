"""Sentences that stages and checks write in English, recognised so that pages can show them in another language."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from functools import cached_property

from bibld.serve._language import Message

_PLACE = re.compile(r"%\((\w+)\)s")


class Phrases:
    """Sentences by their patterns, of which the first that fits counts.

    A pattern is a message with places for values, ``%(name)s``, or another text with such places and the message to be
    shown instead. ``values``: name of a place → regular expression of its values; others are any text.
    """

    def __init__(self, known: Iterable[Message | tuple[str, Message]], values: Mapping[str, str]) -> None:
        self._known = tuple((each.pattern, each) if isinstance(each, Message) else each for each in known)
        self._values = values

    def find(self, sentence: str) -> tuple[Message, dict[str, str]] | None:
        """Return the message for a sentence and the values in the sentence; None if it has no pattern."""
        for expression, shown in self._expressions:
            found = expression.fullmatch(sentence)
            if found is not None:
                return shown, found.groupdict()
        return None

    @cached_property
    def _expressions(self) -> tuple[tuple[re.Pattern[str], Message], ...]:
        return tuple((re.compile(self._expression(pattern), re.DOTALL), shown) for pattern, shown in self._known)

    def _expression(self, pattern: str) -> str:
        pieces = _PLACE.split(pattern)  # texts and names in turn
        return "".join(
            f"(?P<{piece}>{self._values.get(piece, '.+?')})" if place % 2 else re.escape(piece)
            for place, piece in enumerate(pieces)
        )

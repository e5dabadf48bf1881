"""Short texts of values, for notebooks and consoles: a few fields, each cut, instead of a screen of text."""

from __future__ import annotations

import reprlib

import msgspec

_MAX_CHARACTERS = 240


class _Brief(reprlib.Repr):
    """As ``repr``, but without defaults, with the first of the values of a list, and nothing that is deeply nested."""

    def __init__(self) -> None:
        super().__init__()
        self.maxlevel = 3
        self.maxtuple = self.maxlist = self.maxset = self.maxfrozenset = 1
        self.maxdict = 3
        self.maxstring = self.maxother = 50

    def repr_instance(self, x: object, level: int) -> str:
        """Return the fields of a struct that are not their defaults; any other object as ``repr`` writes it, cut."""
        if not isinstance(x, msgspec.Struct):
            return super().repr_instance(x, level)
        name = type(x).__name__
        if level <= 0:
            return f"{name}(…)"
        fields = ((field, getattr(x, field.name)) for field in msgspec.structs.fields(type(x)))
        shown = (f"{field.name}={self.repr1(value, level - 1)}" for field, value in fields if value != field.default)
        return f"{name}({', '.join(text for text in shown if not text.endswith('=()'))})"

    def repr_bytes(self, x: bytes, level: int) -> str:
        """Return the number of bytes."""
        return f"<{len(x):,} bytes>"


_BRIEF = _Brief()


def brief(value: object) -> str:
    """Return a short text of a struct, for its ``__repr__``.

    >>> from bibld.model.origin import Origin
    >>> brief(Origin("rsl", "rsl.mrc", 1, 0))
    "Origin(source='rsl', file='rsl.mrc', position=1, offset=0)"
    """
    text = _BRIEF.repr_instance(value, _BRIEF.maxlevel)
    return text if len(text) <= _MAX_CHARACTERS else f"{text[: _MAX_CHARACTERS - 2]}…)"

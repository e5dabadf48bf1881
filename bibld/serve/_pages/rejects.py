"""Why records were rejected, for readers."""

from __future__ import annotations

from bibld.serve._language import Language, message

_KINDS = {
    "ReadError": message("unreadable"),
    "DamagedFileError": message("damaged file"),
    "CrosswalkError": message("not convertible"),
}
"""The kind of an error of a record → the words for it; the message of the error follows, as the log has it."""


def reject_words(reason: str, language: Language) -> str:
    """Return a reason of a report (kind and message) with the kind in the language of the page."""
    kind, colon, text = reason.partition(": ")
    words = _KINDS.get(kind)
    return f"{language.text(words)}{colon}{text}" if words is not None else reason

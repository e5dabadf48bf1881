"""Titles whose beginning is passed over in sorting (an article), marked by the control characters of ISO 6630."""

from __future__ import annotations

NON_SORTING_BEGIN, NON_SORTING_END = "\x98", "\x9c"
"""START OF STRING and STRING TERMINATOR, which stand for the marks in Unicode."""

NON_SORTING_MARKS = {0x88: NON_SORTING_BEGIN, 0x89: NON_SORTING_END}
"""The marks as C1 controls → the marks in Unicode; for ``str.translate``."""

_NO_MARKS = str.maketrans("", "", NON_SORTING_BEGIN + NON_SORTING_END)


def unify_non_sorting_marks(text: str) -> str:
    """Write the marks around non-sorting text as U+0098 and U+009C, if they are U+0088 and U+0089."""
    return text.translate(NON_SORTING_MARKS) if "\x88" in text or "\x89" in text else text


def remove_non_sorting_marks(text: str) -> str:
    """Remove U+0098 and U+009C; the text between them stays."""
    return text if text.isprintable() else text.translate(_NO_MARKS)


def split_non_sorting(text: str) -> tuple[str, str]:
    r"""Return the non-sorting beginning of a title (empty if none is marked) and the rest, both without marks.

    The beginning ends with a blank if the title is written with one, or if both would otherwise run together.

    >>> split_non_sorting("\x98The\x9c Idiot"), split_non_sorting("\x98L'\x9cIdiot"), split_non_sorting("Idiot")
    (('The ', 'Idiot'), ("L'", 'Idiot'), ('', 'Idiot'))
    """
    if text.startswith(NON_SORTING_BEGIN):
        article, end, rest = text[1:].partition(NON_SORTING_END)
        title = remove_non_sorting_marks(rest).lstrip()
        if end and title and article.strip():
            if rest[:1].isspace() or article[-1].isalnum():
                article = article.rstrip() + " "
            return remove_non_sorting_marks(article), title
    return "", remove_non_sorting_marks(text).strip()

"""Class marks: the numbers of classifications, and headings that only look like them."""

from __future__ import annotations

import re

CLASSIFICATIONS = frozenset(("rubbk", "bbk", "lbc", "udc", "ddc", "rugasnti", "rueskl"))
"""Codes of classifications whose marks name a subject and nothing else."""

_WORD = re.compile(r"(?<!\S)[^\W\d_]{4,}(?!\S)")
_DASHES = re.compile(r"--|[,;—–]")


def is_class_mark(scheme: str, label: str) -> bool:
    """Whether the label of a concept of this scheme is a mark such as ``Ш5(2=Р)1``, not a heading in words."""
    return scheme in CLASSIFICATIONS and _WORD.search(_DASHES.sub(" ", label)) is None

"""How far the walk through the lists of an OAI-PMH server has come; it is stored with the records of each page."""

from __future__ import annotations

import msgspec


class Step(msgspec.Struct, frozen=True):
    """One list that is walked: its verb, from when until when (empty: no limit), and its set (empty: all records).

    ``is_part``: it is a part of a list that the server could not give.
    """

    verb: str
    begin: str = ""
    end: str = ""
    set: str = ""
    is_part: bool = False


class WalkState(msgspec.Struct):
    """How far a walk has come. ``token`` is that of the next part of the current step, empty at its beginning.

    ``received`` and ``distinct`` count the items of the current step (``received`` since it last began), ``size`` is
    the stated size of its list; ``started`` is the server's time of the first answer; ``missing`` are identifiers to be
    fetched one by one, ``bare`` those whose records came without metadata; ``sets`` are the sets of which something
    came. ``was_divided``: a list was divided, so that records may come in two of its parts; ``parts_listed`` counts the
    answers of such parts, ``parts_fetched`` the parts whose records are fetched one by one; ``refusals`` counts the
    parts of which not even the identifiers could be listed, ``unlisted`` names them.
    """

    steps: list[Step]
    position: int = 0
    token: str = ""
    received: int = 0
    distinct: int = 0
    size: int | None = None
    kind: str = ""
    restarts: int = 0
    started: str = ""
    missing: list[str] = []
    bare: list[str] = []
    sets: list[str] = []
    was_divided: bool = False
    parts_listed: int = 0
    parts_fetched: int = 0
    refusals: int = 0
    unlisted: list[str] = []

    @property
    def proven(self) -> int:
        """How many different items of the current list have come; those of later lists may have come before."""
        may_repeat = self.position > 0 or self.was_divided
        return max(self.distinct, self.received) if may_repeat else self.distinct

    @property
    def has_all(self) -> bool:
        """Whether as many items have come as the list is stated to have."""
        return self.size is not None and self.proven >= self.size


class ListShortfall(msgspec.Struct, frozen=True):
    """A list that ended with fewer items than its stated size: if it does so again, the size is wrong.

    ``harvest`` is its number (0: not known): if many of the records that it had do not come the next time, others are
    missing then, and the size is right.
    """

    received: int
    size: int
    harvest: int = 0


class WalkStopped(Exception):  # noqa: N818 - it is an outcome
    """The end of a list cannot be proven; ``can_continue``: the next harvest may go on from here."""

    def __init__(self, reason: str, can_continue: bool) -> None:
        super().__init__(reason)
        self.can_continue = can_continue

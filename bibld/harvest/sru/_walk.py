"""Walk through the result of one query: portion after portion, by what arrived."""

from __future__ import annotations

import hashlib
from typing import TYPE_CHECKING

import msgspec

from bibld.errors import HarvestError
from bibld.harvest._faults import ServerFault
from bibld.harvest._search import LimitReached, Position, Save, keep
from bibld.harvest.sru._answers import FIRST_POSITION_OUT_OF_RANGE, TOO_MANY_RECORDS, Answer, Piece

if TYPE_CHECKING:
    from bibld.harvest._visit import Visit
    from bibld.harvest.sru._session import Session

_MOST_GAPS = 20
"""Records in succession that may be left out because the server cannot send them."""

_LIMIT_DIAGNOSTICS = (FIRST_POSITION_OUT_OF_RANGE, *TOO_MANY_RECORDS)

_MOST_REASONS = 5
"""Reasons of a kind that are stated one by one; the report has the number."""

SHORT = ServerFault(
    "sru-portion",
    "sends fewer records than were asked for, though it has more",
    "SRU 1.2, 4.1.1: maximumRecords",
    "continued behind the records that arrived",
)
BROKEN = ServerFault(
    "sru-broken-answer",
    "cannot send some records: the answer with them is no XML, or an error",
    "XML 1.0, 2.1: well-formed documents",
    "asked for the records around them, one by one",
)
UNUSABLE = ServerFault(
    "sru-record",
    "sends records that cannot be used: without content, no XML, or of another schema",
    "SRU 1.2, 4.2.2: recordData",
    "kept them among the rejects",
)
SURROGATE = ServerFault(
    "sru-surrogate",
    "sends diagnostics in place of records",
    "SRU 1.2, 4.2.4: surrogate diagnostics",
    "counted them; the harvest is not complete",
)
REPEATED = ServerFault(
    "sru-repeated",
    "sends the same portion again for another position",
    "SRU 1.2, 4.1.1: startRecord",
    "stopped; the harvest is not complete",
)
BESIDE = ServerFault(
    "sru-diagnostic", "sends diagnostics beside records", "SRU 1.2, 4.2.3: diagnostics", "used the records"
)


class Walk:
    """Fetches the records of one query and stores them."""

    def __init__(self, visit: Visit, session: Session, portion: int, start: Position) -> None:
        self._visit = visit
        self._session = session
        most = session.explained.most_records
        self._portion = min(portion, most) if most else portion
        self._at = start
        self._reasons: list[str] = []
        self._gaps = 0
        self._is_stopped = False

    def fetch(self, query: str, save: Save) -> list[str]:
        """Fetch the records; return why they are not all. ``save`` is called with each position that was reached.

        Raises ``LimitReached``, and ``HarvestError`` if the server does not answer.
        """
        total = None
        size = self._portion
        empty = 0
        while total is None or self._at.next <= total:
            try:
                answer, number = self._session.search_stored(query, self._at.next, size)
            except HarvestError as error:
                size = self._shrink(error, size, save)
                continue
            total = self._stated_total(answer, total, empty)
            if not answer.pieces:
                if total is None or self._at.next > total:
                    break
                empty += 1
                self._check_limit(answer, total, empty)
                continue
            empty = 0
            if total is None:
                total = self._at.next + len(answer.pieces) - 1
            if not self._store(query, answer, number, save):
                break
            self._compare_size(query, answer, size, total)
            size = min(size * 2, self._portion)
            if self._is_stopped:
                break
        return self._reasons

    def _stated_total(self, answer: Answer, total: int | None, empty: int) -> int | None:
        """Return the total after an answer; a smaller one is a reason, unless a refusal or an accident states it."""
        stated = answer.total
        if stated is None or total is None or stated >= total:
            return total if stated is None else stated
        if not answer.pieces and stated < self._at.next - 1:  # fewer than have come already
            is_refused = not stated and answer.has_diagnostic(*_LIMIT_DIAGNOSTICS)
            if is_refused or not empty:
                return total
        self._add_reason(f"the server stated {total:,} records at first, and {stated:,} later")
        return stated

    def _shrink(self, error: HarvestError, size: int, save: Save) -> int:
        """Ask for a smaller portion where one cannot be sent; a single record is left out."""
        if not self._session.has_answered:
            raise error
        if size > 1:
            return size // 2
        self._visit.note(BROKEN, "", str(error).encode())
        self._gaps += 1
        if self._gaps > _MOST_GAPS:
            raise error
        self._add_reason(f"the record at position {self._at.next:,} cannot be fetched: {error}")
        self._at = msgspec.structs.replace(self._at, next=self._at.next + 1)
        with self._visit.store.commit():
            save(self._at, self._reasons)
        return 1

    def _check_limit(self, answer: Answer, total: int, empty: int) -> None:
        """Decide what an empty portion before the end means; raises ``LimitReached`` or ``HarvestError``."""
        is_limit = answer.has_diagnostic(*_LIMIT_DIAGNOSTICS)
        if empty < 2 and not is_limit:
            return  # it may be an accident
        if self._at.next > 1:
            raise LimitReached(self._at.next - 1)
        stated = "; ".join(map(str, answer.diagnostics)) or "no records"
        raise HarvestError(f"the server states {total:,} records, but sends {stated}")

    def _store(self, query: str, answer: Answer, number: int, save: Save) -> bool:
        """Store a portion; return whether it is another one than before."""
        digest = hashlib.sha256(b"\0".join(piece.data for piece in answer.pieces)).hexdigest()
        if digest == self._at.last_portion:
            self._visit.note(REPEATED, query, answer.pieces[0].data)
            self._reasons.append(f"the server sends the same records again at position {self._at.next:,}")
            return False
        if answer.diagnostics:
            self._visit.note(BESIDE, query, "; ".join(map(str, answer.diagnostics)).encode())
        store = self._visit.store
        with store.commit():
            for offset, piece in enumerate(answer.pieces):
                self._keep(piece, self._at.next + offset, number)
            self._at = Position(self._at.next + len(answer.pieces), digest)
            self._is_stopped = save(self._at, self._reasons)
        self._visit.progress.advance(len(answer.pieces))
        self._gaps = 0
        return True

    def _keep(self, piece: Piece, position: int, number: int) -> None:
        if piece.diagnostic is not None:
            self._visit.store.count("received")
            self._visit.note(SURROGATE, "", piece.data)
            self._add_reason(f"the server sends {piece.diagnostic} in place of the record at position {position:,}")
            return
        fault = piece.fault
        if not fault and self._session.root and piece.root != self._session.root:
            fault = f"it is <{piece.root}>, though <{self._session.root}> was asked for"
        if fault:
            self._visit.note(UNUSABLE, "", piece.data)
        keep(self._visit, piece.identifier, piece.data, number, fault)

    def _add_reason(self, reason: str) -> None:
        if len(self._reasons) < _MOST_REASONS:
            self._reasons.append(reason)

    def _compare_size(self, query: str, answer: Answer, size: int, total: int) -> None:
        came = len(answer.pieces)
        if came < size and self._at.next <= total:
            self._visit.note(SHORT, query, f"{came} of {size}".encode())
            self._portion = max(came, 1) if came < self._portion else self._portion

"""A well-behaved OAI-PMH server of a small library, whose records change; faults may be put before it."""

from __future__ import annotations

import time
from datetime import UTC, datetime

from tests.harvest.hostile_oai import Reply, Request, envelope, error, good, marc, xml

PART = 4


class Library:
    """Records by number, each with its datestamp and title (None: deleted); ``clock`` is the server's time in seconds.

    ``keeps_deletions``: whether deleted records stay in the lists. ``sets`` has the set of each record that is in one.
    """

    def __init__(self, clock: float | None = None, keeps_deletions: bool = True) -> None:
        self.clock = time.time() - 86400 if clock is None else clock
        self.keeps_deletions = keeps_deletions
        self.records: dict[int, tuple[str, str | None]] = {}
        self.sets: dict[int, str] = {}

    @property
    def now(self) -> str:
        return datetime.fromtimestamp(self.clock, UTC).strftime("%Y-%m-%dT%H:%M:%SZ")

    def put(self, number: int, title: str) -> None:
        self.records[number] = (self.now, title)

    def delete(self, number: int) -> None:
        if self.keeps_deletions:
            self.records[number] = (self.now, None)
        else:
            del self.records[number]

    def titles(self) -> dict[int, str]:
        """Return the titles of the records that are not deleted."""
        return {number: title for number, (_, title) in sorted(self.records.items()) if title is not None}

    def answer(self, request: Request) -> Reply:
        """Answer as the standard asks."""
        if request.verb == "Identify":
            policy = "persistent" if self.keeps_deletions else "no"
            return self._stamped(good(request), (">persistent<", f">{policy}<"))
        if request.verb == "GetRecord":
            number = int(request.arguments["identifier"].rpartition(":")[2])
            if number not in self.records:
                return self._stamped(error("idDoesNotExist"))
            return self._stamped(xml(envelope(f"<GetRecord>{self._record(number)}</GetRecord>")))
        if request.verb not in ("ListRecords", "ListIdentifiers"):
            return self._stamped(good(request))
        if request.token is None:
            begin, until, set_, after = (*map(request.arguments.get, ("from", "until", "set"), ("",) * 3), 0)
        else:
            begin, until, set_, last = request.token.split("~")
            after = int(last)
        selected = self.selected(begin, until, set_)
        shown = [number for number in selected if number > after][:PART]
        if not shown:
            return self._stamped(error("noRecordsMatch"))
        more = f"{begin}~{until}~{set_}~{shown[-1]}" if shown[-1] != selected[-1] else ""
        make = self._record if request.verb == "ListRecords" else self._header
        items = "".join(make(number) for number in shown)
        token = f'<resumptionToken completeListSize="{len(selected)}">{more}</resumptionToken>'
        return self._stamped(xml(envelope(f"<{request.verb}>{items}{token}</{request.verb}>")))

    def selected(self, begin: str = "", until: str = "", set_: str = "") -> list[int]:
        """Return the numbers of the records of a list, in order."""
        return sorted(
            number
            for number, (stamp, _) in self.records.items()
            if stamp >= begin and (not until or stamp[: len(until)] <= until) and set_ in ("", self.sets.get(number))
        )

    def _stamped(self, reply: Reply, *pairs: tuple[str, str]) -> Reply:
        text = reply.body.decode()
        begin, _, rest = text.partition("<responseDate>")
        text = f"{begin}<responseDate>{self.now}{rest[rest.index('</responseDate>') :]}"
        for old, new in pairs:
            text = text.replace(old, new)
        return reply._replace(body=text.encode())

    def _header(self, number: int) -> str:
        stamp, title = self.records[number]
        status = "" if title is not None else ' status="deleted"'
        return f"<header{status}><identifier>oai:library:{number}</identifier><datestamp>{stamp}</datestamp></header>"

    def _record(self, number: int) -> str:
        title = self.records[number][1]
        metadata = "" if title is None else f"<metadata>{marc(number, title)}</metadata>"
        return f"<record>{self._header(number)}{metadata}</record>"

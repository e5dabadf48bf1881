"""The settings of the server; reading a configuration loads these alone, and not the server."""

from __future__ import annotations

from typing import Annotated, Literal

import msgspec

from bibld.config import File, Secret

LogFormat = Literal["json", "combined"]
_PerMinute = Annotated[int, msgspec.Meta(ge=0)]


class LimitSettings(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The table ``[serve.limits]``: requests that one client may send in a minute, by class; 0 is no limit.

    They may come all at once: the allowance of a minute is saved up, and then refilled steadily. ``pages``: HTML;
    ``documents``: RDF and other data; ``search``: searches and the interfaces that search; ``sparql``: queries;
    ``dumps``: files of the release; ``uploads``: files to be matched, and their page. ``exempt``: networks without
    limits.
    """

    pages: _PerMinute = 600
    documents: _PerMinute = 3000
    search: _PerMinute = 600
    sparql: _PerMinute = 600
    dumps: _PerMinute = 120
    uploads: _PerMinute = 30
    exempt: tuple[str, ...] = ("127.0.0.0/8", "::1")


class MatchSettings(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The table ``[serve.match]``: files that anybody may send to be matched with the release.

    ``workers``: how many are matched at once, 0 for none at all; ``waiting``: how many wait. A file may have ``size``
    MiB, and take ``timeout`` seconds to arrive and as many to be matched, with ``memory`` MiB for each process.
    """

    workers: Annotated[int, msgspec.Meta(ge=0)] = 1
    waiting: Annotated[int, msgspec.Meta(ge=0)] = 4
    size: Annotated[int, msgspec.Meta(ge=1)] = 64
    timeout: Annotated[float, msgspec.Meta(gt=0)] = 300.0
    memory: Annotated[int, msgspec.Meta(ge=256)] = 4096

    @property
    def limits(self) -> QueryLimits:
        """The bounds of files as those of queries; a client has one file here at a time."""
        return QueryLimits(self.timeout, self.memory, self.workers, self.waiting, 1)


class QueryLimits(msgspec.Struct, frozen=True):
    """The limits of queries.

    ``seconds``: for one query, in the queue and in a process together; ``memory``: MiB for one; ``workers``: processes;
    ``waiting``: queries in the queue; ``of_one_client``: queries of a client that run or wait. The last three hold for
    all server processes together.
    """

    seconds: float
    memory: int
    workers: int
    waiting: int
    of_one_client: int


Prefix = Annotated[str, msgspec.Meta(pattern=r"^([A-Za-z]([\w.-]*\w)?)?$")]
MailAddress = Annotated[str, msgspec.Meta(pattern=r"^([^@\s]+@[^@\s.]+(\.[^@\s.]+)+)?$")]
CoverAddress = Annotated[
    str, msgspec.Meta(pattern=r"^(https?://[A-Za-z0-9.-]+(:[0-9]+)?/[^\s\"<>]*\{isbn\}[^\s\"<>]*)?$")
]
PictureHost = Annotated[str, msgspec.Meta(pattern=r"^https?://[A-Za-z0-9.-]+(:[0-9]+)?$")]
Namespace = Annotated[str, msgspec.Meta(pattern=r"^[A-Za-z][A-Za-z0-9+.-]*:[^\x00-\x20<>\"{}|^`\\]*$")]


class Settings(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The table ``[serve]``.

    ``processes`` serve on one socket; 0 for one on each processor core. A client has ``request_timeout`` seconds for
    the header of a request, as many again for its body, and to take what was sent; an idle connection is closed after
    them. ``hosts``: names that requests may have in ``Host``; any if empty. ``trusted_proxies``: networks of proxies
    whose ``X-Forwarded-For`` is believed; ``metrics_clients``: networks of clients that may read ``/metrics``.
    ``contact``: a mail address of those who run the site, for readers who report an error, and for harvesters
    (``adminEmail`` of OAI-PMH).
    ``access_log``: a file, "-" for standard output, or empty for none; its format is ``access_log_format``. ``limits``:
    see ``LimitSettings``.

    A query may take ``query_timeout`` seconds (waiting for its turn included), ``query_memory`` MiB beside what the
    store takes, and answer with ``max_result`` MiB; ``query_workers`` run at once and ``query_queue`` wait, counted for
    all processes together. Of these slots one client address may have ``query_share``, and always one. Results of
    queries are remembered in ``query_cache`` MiB, in each process.

    ``review_token``: the environment variable with the token of the review page, ``{ env = "NAME" }``; without it there
    is no such page. Whoever knows the token may decide about uncertain pairs at ``/review``.

    ``prefixes``: prefix → namespace, which queries may use without declaring them, beside those of the dataset.

    ``match``: see ``MatchSettings``.

    ``covers``: the address of pictures of covers, with ``{isbn}`` for the thirteen digits of the ISBN. Browsers of
    readers ask that host; if empty (the default), no other host is asked and covers are drawn.

    ``persons``: a CSV file with what pages about persons add, by the number in Wikidata: a description and a portrait.
    ``portraits``: the hosts of the portraits that browsers of readers may ask, such as
    ``["https://upload.wikimedia.org"]``; none by default.

    ``store``: the name of a ``[[store.remote]]`` from which queries are answered, and documents that the release
    has not prepared; if empty, the copy of
    the store in the release.
    """

    host: str = "127.0.0.1"
    port: Annotated[int, msgspec.Meta(ge=0, le=65535)] = 8000
    processes: Annotated[int, msgspec.Meta(ge=0, le=256)] = 0
    request_timeout: Annotated[float, msgspec.Meta(ge=0.1)] = 20.0
    hosts: tuple[str, ...] = ()
    trusted_proxies: tuple[str, ...] = ("127.0.0.0/8", "::1")
    metrics_clients: tuple[str, ...] = ("127.0.0.0/8", "::1")
    contact: MailAddress = ""
    access_log: str = ""
    access_log_format: LogFormat = "combined"
    limits: LimitSettings = LimitSettings()
    query_timeout: Annotated[float, msgspec.Meta(gt=0)] = 15.0
    query_memory: Annotated[int, msgspec.Meta(ge=16)] = 1024
    query_workers: Annotated[int, msgspec.Meta(ge=1)] = 2
    query_queue: Annotated[int, msgspec.Meta(ge=0)] = 32
    query_cache: Annotated[int, msgspec.Meta(ge=0)] = 64
    query_share: Annotated[float, msgspec.Meta(gt=0, le=1)] = 0.5
    store: str = ""
    max_result: Annotated[int, msgspec.Meta(ge=1)] = 64
    review_token: Secret | None = None
    prefixes: dict[Prefix, Namespace] = {}
    match: MatchSettings = MatchSettings()
    covers: CoverAddress = ""
    persons: File = File("")
    portraits: tuple[PictureHost, ...] = ()

    @property
    def query_limits(self) -> QueryLimits:
        """The bounds of queries."""
        of_one = max(1, int(self.query_share * (self.query_workers + self.query_queue)))
        return QueryLimits(self.query_timeout, self.query_memory, self.query_workers, self.query_queue, of_one)

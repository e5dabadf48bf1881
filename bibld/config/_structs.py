"""The structs of a checked configuration."""

from __future__ import annotations

import os
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Annotated, Any, Literal, NewType

import msgspec

from bibld.errors import ConfigError
from bibld.model.enrichment import ReturnElement
from bibld.model.iris import PROVENANCE_GRAPH, Iris
from bibld.model.rdf import iri
from bibld.model.release import DatasetDescription
from bibld.model.text_path import TextPath
from bibld.protocols import RemoteAccess, RemoteStore, adapters

Share = Annotated[float, msgspec.Meta(ge=0, le=1)]
"""A number from 0 to 1."""

File = NewType("File", str)
"""A file that settings name relative to the configuration; in a loaded configuration an absolute path, or empty."""

Percentage = Annotated[float, msgspec.Meta(ge=0, le=100)]
"""A number from 0 to 100."""

PERCENTAGE = r"^\s*[0-9]+(\.[0-9]+)?\s*%\s*$"
"""How a percentage is written."""

_FEW_DELETIONS, _SHARE_OF_DELETIONS = 50, 0.1
"""More deletions than this number and this share of a source are too many by default."""

_SMALL_SOURCE = 20
"""A source with at least this many records must not lose more than half of them."""
_PLACEHOLDER = re.compile(r"\{(?:source|file)\}")

Difference = Literal["edition", "year", "carrier", "language"]
"""What can differ between records that are otherwise equal."""

Dialect = Literal["bnf", "dnb", "schema"]
"""A library in whose terms publications can be described too."""


class CopyFields(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Which subfields of a local field describe a copy; each key names their codes (``location = "ml"``).

    ``library``: the code or name of the library; ``location``: places in it, each subfield one; ``call_number``: the
    parts of the shelf mark, written in the order of the record; ``barcode``: barcodes; ``copy_number``: numbers of
    copies; ``holdings``: which volumes the copy is; ``note``: public notes. A field without library, location and call
    number is no copy.
    """

    library: str = ""
    location: str = ""
    call_number: str = ""
    barcode: str = ""
    copy_number: str = ""
    holdings: str = ""
    note: str = ""


class WorklistConfig(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """By which definitions the records of a source are inspected, beside those of their format.

    ``profile``: a file in the Avram schema language with fields that the library uses in another way, or in addition;
    ``local_fields``: whether fields for local use (with a 9 in their tag) that it does not define are ignored, or
    reported (``check``).
    """

    profile: File = File("")
    local_fields: Literal["ignore", "check"] = "ignore"


class ReturnConfig(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """What the library of a source gets back in its own records.

    ``elements``: what is added: ``identifiers`` (of publication and work), ``authorities`` (numbers of authority
    records), ``links`` (VIAF, ISNI, Wikidata, ORCID), ``isbn``, ``subjects``, ``classification``, ``language``,
    ``abstract``, ``contents``, ``covers`` and ``full_text`` (addresses); ``from``: the sources whose records give
    values, all others by default; ``schemes``: the thesauri and classifications of subjects and class marks, such as
    ``["rubbk", "udc"]``, all by default; ``score``: the least match score of such a record, and the least confidence of
    a link; ``mark``: the tag of the local field that describes additions in RUSMARC and UNIMARC (9XX, X9X or XX9);
    ``file``: where each run writes the files of the source with the additions, with ``{source}`` and ``{file}`` for its
    id and the name of the file; none are written by default.
    """

    elements: tuple[ReturnElement, ...] = (
        "identifiers", "authorities", "links", "isbn", "subjects", "classification",
    )  # fmt: skip
    from_: tuple[str, ...] = msgspec.field(name="from", default=())
    schemes: tuple[str, ...] = ()
    score: Share = 0.9
    mark: Annotated[str, msgspec.Meta(pattern="^(9[0-9]{2}|[1-8]9[0-9]|[1-8][0-8]9)$")] = "983"
    file: str = ""

    def file_fault(self) -> str:
        """Return what is wrong with the name of the files; empty if nothing is."""
        pattern = self.file
        unknown = _PLACEHOLDER.sub("", pattern)
        if "{" in unknown or "}" in unknown:
            return f'"{pattern}" has other placeholders than {{source}} and {{file}}'
        return f'"{pattern}" names a folder; write "{pattern}{{file}}"' if pattern.endswith("/") else ""


class SourceConfig(msgspec.Struct, frozen=True):
    """The keys of every source, whatever harvester fetches it.

    ``license``: that of the source's data (the dataset's if absent); ``complete``: a full load, in which an absent
    record is a deleted one; ``deletes``: a file of control numbers to delete, one a line; ``duplicates``: whether one
    cluster can contain two records of this source; ``trust``: how far its values are trusted when records are merged,
    a higher number further; ``columns``: for a table, which column contains the title, the author and so on.

    ``kind``: ``auto`` recognises authority records one by one, ``authority`` also warns of records that describe a
    publication. ``cited_by``: other sources whose records cite the numbers of these authority records without naming
    the file; by default those with the same ``isil``.

    ``holdings``: local fields that describe copies, by tag: ``{ 999 = { call_number = "a", location = "ml" } }``;
    ``libraries``: what the codes mean by which the records name libraries: an ISIL, a name, or names by language; the
    empty code is the library of copies of which none is stated, by default that of ``isil``.

    ``fields``: other fields that are published, by tag and codes of subfields, and as which element of MODS or property
    of RDF: ``{ 990 = { a = "note[@type=ownership]", bc = "https://example.org/terms/donor" } }``.

    ``catalogue_url``: a template of the addresses at which the library's own catalogue shows its records, with ``{id}``
    (the control number), ``{isbn}`` or ``{call_number}``; ``address``: the postal address of the library, by language;
    ``opening``: its opening hours, by language; ``contact``: an address for questions: mail, telephone or web.
    ``return``: what ``bibld enrich`` and each run add to the library's own records, a table ``[source.return]``.

    ``members``: patterns (``*.mrc``, ``full/*.xml``) for the files in archives that are read; by default all but those
    that are obviously no data.

    ``worklist``: a table ``[source.worklist]``: by which definitions the records are inspected.

    ``max_deletes``: how many of its records one run may delete, a number or a percentage (``"10%"``); if more would be,
    none is, until ``--allow-deletes`` allows it. By default more than 50 records and more than 10 % are too many, and
    more than half where it has 20 or more. ``max_rejects``: the percentage of rejected records above which a run ends
    with exit code 3; ``--max-rejects`` replaces it. ``max_unnumbered``: the percentage of the records of a MARC file
    without a control number above which the source is in doubt; ``max_misread``: that of the records whose letters are
    as if they had been decoded in a wrong charset.
    """

    id: str
    label: dict[str, str] = {}
    isil: str = ""
    catalogue_url: str = ""
    address: dict[str, str] = {}
    opening: dict[str, str] = {}
    contact: str = ""
    license: str = ""
    harvest: str = "local"
    read: str = "auto"
    crosswalk: str = "auto"
    kind: Literal["auto", "authority"] = "auto"
    cited_by: tuple[str, ...] = ()
    charset: str = "auto"
    complete: bool = True
    deletes: str = ""
    duplicates: bool = False
    trust: int = 1
    columns: dict[str, str | tuple[str, ...]] = {}
    holdings: dict[str, CopyFields] = {}
    libraries: dict[str, str | dict[str, str]] = {}
    fields: dict[str, str | dict[str, str]] = {}
    return_: ReturnConfig | None = msgspec.field(name="return", default=None)
    members: str | tuple[str, ...] = ()
    worklist: WorklistConfig = WorklistConfig()
    max_deletes: Annotated[int, msgspec.Meta(ge=0)] | Annotated[str, msgspec.Meta(pattern=PERCENTAGE)] | None = None
    max_rejects: Percentage = 100.0
    max_unnumbered: Percentage = 10.0
    max_misread: Percentage = 10.0

    def are_too_many_deletions(self, deleted: int, records: int) -> bool:
        """Return whether a run must not delete this many of the source's live ``records``."""
        if self.max_deletes is None:
            is_large = deleted > _FEW_DELETIONS and deleted > records * _SHARE_OF_DELETIONS
            return is_large or (records >= _SMALL_SOURCE and deleted > records / 2)
        if isinstance(self.max_deletes, int):
            return deleted > self.max_deletes
        return deleted > records * float(self.max_deletes.strip().removesuffix("%")) / 100


ValueKind = Literal["text", "link", "any"]
"""What the values of a property are: texts, addresses, or addresses where a text is one."""


class LocalField(msgspec.Struct, frozen=True):
    """A rule for a field: its tag, the codes of its subfields (empty: the text of the field), and where they go.

    ``element`` is the path of the text in MODS; without one it becomes a ``property``, an absolute IRI, with
    ``values`` of a kind.
    """

    tag: str
    codes: str
    element: TextPath | None = None
    property: str = ""
    values: ValueKind = "any"


class Source(msgspec.Struct, frozen=True):
    """A source with the settings of its harvester and of its reader if it names one, column map and local fields."""

    config: SourceConfig
    harvest: Any
    read: Any
    columns: Any = None
    fields: tuple[LocalField, ...] = ()

    @property
    def id(self) -> str:
        """The source's id."""
        return self.config.id

    @property
    def return_policy(self) -> ReturnConfig:
        """What the library gets back."""
        return self.config.return_ or ReturnConfig()


class DedupConfig(msgspec.Struct, frozen=True):
    """Which blockers propose candidate pairs (united), and which scorer scores them.

    ``exceptions``: which differences send a pair with a high score to review, unless the scorer is the paper's;
    ``largest_cluster``: a group of linked records that is larger is cut at a higher score, with a message;
    ``cache``: the folder for the machine code of what compares records, which is compiled once on a machine (the user's
    cache folder by default).
    """

    block: tuple[str, ...] = ("identifier", "composite")
    score: str = "model"
    exceptions: tuple[Difference, ...] = ("edition", "year", "carrier", "language")
    largest_cluster: Annotated[int, msgspec.Meta(ge=2)] = 50
    cache: File = File("")


class MergeConfig(msgspec.Struct, frozen=True):
    """The policy (an adapter of merge) by which the values of each element of MODS are merged.

    The defaults are the paper's rule.

    ``title_info``: titles; ``name``: persons and bodies; ``type_of_resource``: text, map, music …; ``genre``: genre
    and form; ``origin_info``: publication, child by child; ``language``: languages; ``physical_description``:
    extent and form, child by child; ``abstract``: summaries; ``table_of_contents``: contents; ``target_audience``:
    for whom it is; ``access_condition``: conditions of access and use; ``note``: notes; ``subject``: subject
    headings; ``classification``: class marks; ``location``: copies and addresses; ``related_item``: series, hosts
    and other resources; ``identifier``: ISBN and other numbers; ``part``: which part of a host it is;
    ``extension``: foreign XML; ``record_info``: dates and sources of the records, published only if chosen.
    """

    title_info: str = "union"
    name: str = "union"
    type_of_resource: str = "fill"
    genre: str = "union"
    origin_info: str = "union"
    language: str = "union"
    physical_description: str = "union"
    abstract: str = "fill"
    table_of_contents: str = "fill"
    target_audience: str = "fill"
    access_condition: str = "fill"
    note: str = "union"
    subject: str = "union"
    classification: str = "union"
    location: str = "union"
    related_item: str = "union"
    identifier: str = "union"
    part: str = "union"
    extension: str = "union"
    record_info: str = "union"


class Secret(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A value that is not written in the configuration; ``env`` names the environment variable that contains it."""

    env: str

    def read(self) -> str:
        """Return the value; raises ``ConfigError`` if the variable is not set."""
        value = os.environ.get(self.env, "")
        if not value:
            raise ConfigError(
                [f"the environment variable {self.env} is not set; it must contain what the configuration asks for"]
            )
        return value


class RemoteConfig(msgspec.Struct, frozen=True):
    """A triple store that is brought to the same quads, and the keys of every such store.

    ``name``: a short name for commands and messages; ``url``: its address, see the adapter; ``kind``: the adapter;
    ``user`` and ``password``: the environment variables that contain them, ``{ env = "NAME" }``; ``timeout``: seconds
    for one answer; ``tries``: how often a request is sent while the server is busy or does not answer; ``on_run``:
    whether each run ends with bringing it up to date, otherwise only ``bibld store --to`` does; ``file_quads``: quads
    in each piece of the first load.
    """

    name: str
    url: str
    kind: str = "sparql"
    user: Secret | None = None
    password: Secret | None = None
    timeout: Annotated[float, msgspec.Meta(gt=0)] = 600.0
    tries: Annotated[int, msgspec.Meta(ge=1)] = 5
    on_run: bool = True
    file_quads: Annotated[int, msgspec.Meta(ge=1)] = 200_000


class Remote(msgspec.Struct, frozen=True):
    """A remote store with the settings of its adapter."""

    config: RemoteConfig
    settings: Any

    def open(self, base: str) -> RemoteStore:
        """Return the store, without asking it anything.

        ``base`` is what the IRIs of the dataset begin with. Raises ``ConfigError`` if credentials are missing.
        """
        config = self.config
        access = RemoteAccess(
            url=config.url,
            graphs=Iris(base).graph(""),
            user=config.user.read() if config.user else "",
            password=config.password.read() if config.password else "",
            timeout=config.timeout,
            tries=config.tries,
        )
        store: RemoteStore = adapters.load_adapter("store.remote", config.kind).open_remote(access, self.settings)
        return store


class TriplifyConfig(msgspec.Struct, frozen=True):
    """How publications are described.

    ``provenance``: how much to publish about where the data come from. ``full``: the source records of each
    publication, the matches between them, and which records have each value in which they differ; ``records``: the
    source records only; ``none``: nothing. ``dialects``: the data for whose users the resources are described once
    more in the terms of these, at the cost of 5 to 20 quads a publication: ``dnb`` (German National Library), ``bnf``
    (data.bnf.fr), ``schema`` (schema.org). ``properties``: absolute IRIs of properties that a note of a MODS file may
    state, with the IRI as its ``typeURI``; those of ``[source.fields]`` need not be named.
    """

    provenance: Literal["full", "records", "none"] = "full"
    dialects: tuple[Dialect, ...] = ()
    properties: tuple[str, ...] = ()


class StoreConfig(msgspec.Struct, frozen=True):
    """Which triple store is loaded; ``remote``: further stores, a table ``[[store.remote]]`` each.

    ``named_provenance``: whether the store has provenance in a named graph, as the dumps do; that takes more space.
    """

    backend: str = "oxigraph"
    named_provenance: bool = False
    remote: tuple[dict[str, Any], ...] = ()


class PublishConfig(msgspec.Struct, frozen=True):
    """What a release consists of, and how long it is kept.

    ``keep``: how many releases stay on disk. ``full``: when the dumps are written in full: ``"always"``, or
    ``"auto"``: when those of an earlier release have grown old, or the patches to them large.
    ``full_after_days``: with ``auto``, the age in days at which full dumps are written again. ``full_above``: with
    ``auto``, the size of all patches to the full dumps, as a share of all quads, above which they are written again.
    ``suppress``: a CSV file of records and values that must not be published. ``parts``: which adapters write the
    release; statements about the dataset that a part adds are published when it comes before ``void``. Some parts are
    written side by side, each after those before it that it needs.
    """

    keep: Annotated[int, msgspec.Meta(ge=1)] = 2
    full: Literal["auto", "always"] = "auto"
    full_after_days: Annotated[int, msgspec.Meta(ge=0)] = 7
    full_above: Annotated[float, msgspec.Meta(ge=0)] = 0.05
    suppress: File = File("")
    parts: tuple[str, ...] = (
        "void", "report", "completion", "run", "documents", "search", "match", "dumps", "store", "sitemap", "feed",
        "dcat",
    )  # fmt: skip


class MailConfig(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A mail about a run: ``to`` are addresses, ``sender`` is that of the sender.

    ``server``: the mail server; ``port``: its port; ``security``: ``none``, ``starttls`` or ``tls``; ``user`` and
    ``password``: the environment variables that contain them, ``{ env = "NAME" }``.
    """

    to: Annotated[tuple[str, ...], msgspec.Meta(min_length=1)]
    sender: str
    server: str = "localhost"
    port: Annotated[int, msgspec.Meta(ge=1, le=65535)] = 25
    security: Literal["none", "starttls", "tls"] = "none"
    user: Secret | None = None
    password: Secret | None = None


class NotifyConfig(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Who is informed of a run of ``bibld run``.

    ``on``: ``failure``, when the exit code is not 0, or ``always``. ``command``: a command and its arguments, which
    receives the ending of the run as JSON on standard input. ``mail``: a table ``[notify.mail]``.
    """

    on: Literal["failure", "always"] = "failure"
    command: tuple[str, ...] = ()
    mail: MailConfig | None = None


class EngineConfig(msgspec.Struct, frozen=True):
    """What a run computes with.

    ``name``: ``local`` for this machine, ``spark`` for Apache Spark; ``master``: the address of Spark's master, such as
    ``spark://host:7077``, ``yarn`` or ``k8s://https://host:443``; this machine's cores by default; ``conf``: properties
    of Spark, ``"spark.executor.memory" = "4g"``; ``storage``: a folder that all nodes see, ``hdfs://…`` or ``s3a://…``,
    for tables and releases; the folder ``spark`` of the workspace by default; ``environment``: an archive of a Python
    environment with bibld, which Spark sends to its nodes; without one each node must have bibld.
    """

    name: Literal["local", "spark"] = "local"
    master: str = ""
    conf: dict[str, Any] = {}
    storage: str = ""
    environment: str = ""


class Config(msgspec.Struct, frozen=True):
    """A checked configuration.

    ``workers`` is the number of processes that convert, merge and describe records, 0 for one a core.
    """

    file: Path
    workspace: Path
    workers: int
    dataset: DatasetDescription
    sources: tuple[Source, ...]
    dedup: DedupConfig
    merge: MergeConfig
    triplify: TriplifyConfig
    store: StoreConfig
    publish: PublishConfig
    serve: Any
    adapter_settings: dict[tuple[str, str], Any]
    remote_stores: tuple[Remote, ...] = ()
    notify: NotifyConfig = NotifyConfig()
    engine: EngineConfig = EngineConfig()

    @property
    def folder(self) -> Path:
        """The folder of the file, in which relative paths begin."""
        return self.file.parent

    @property
    def graph_in_default(self) -> str:
        """The named graph of the dumps, as a term, that the live store has in its default graph; empty: none."""
        return "" if self.store.named_provenance else iri(Iris(self.dataset.base).graph(PROVENANCE_GRAPH))

    def settings(self, stage: str, name: str) -> Any:  # noqa: ANN401
        """Return the settings of an adapter: its table, or the defaults."""
        found = self.adapter_settings.get((stage, name))
        return adapters.settings_type(stage, name)() if found is None else found

    def crosswalk_settings(self, source: Source) -> dict[str, Any]:
        """Return the settings of every crosswalk for one source, by name."""
        settings = {name: self.settings("crosswalk", name) for name in adapters.adapter_names("crosswalk")}
        return settings if source.columns is None else settings | {"columns": source.columns}

    def with_dedup(self, block: tuple[str, ...], score: str | None) -> Config:
        """Return this configuration with the given blockers and scorer; raises ``ConfigError`` for unknown ones."""
        for stage, names in (("dedup.block", block), ("dedup.score", (score,) if score else ())):
            for name in names:
                adapters.load_adapter(stage, name)
        dedup = msgspec.structs.replace(self.dedup, block=block or self.dedup.block, score=score or self.dedup.score)
        return msgspec.structs.replace(self, dedup=dedup)

    def citing_sources(self, source: Source) -> tuple[str, ...]:
        """Return the other sources whose records cite the numbers of a source's authority records."""
        own = source.config
        same = (one.id for one in self.sources if one.config.isil == own.isil != "" and one.id != own.id)
        return own.cited_by or tuple(sorted(same))

    def source(self, source: str) -> Source:
        """Return the source with this id; raises ``KeyError``."""
        for candidate in self.sources:
            if candidate.id == source:
                return candidate
        raise KeyError(source)


def flatten(table: dict[str, Any], prefix: str = "") -> Iterator[tuple[str, Any]]:
    """Yield the dotted names of a table's values: TOML reads a dotted key without quotes as tables."""
    for key, value in table.items():
        if isinstance(value, dict):
            yield from flatten(value, f"{prefix}{key}.")
        else:
            yield f"{prefix}{key}", value

"""Checks the tables of a configuration and collects all faults, each with its file, line, key and what to do."""

from __future__ import annotations

import difflib
import os
import re
import urllib.parse
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Annotated, Any

import msgspec

from bibld.config._local_fields import copy_faults, is_free_property, read_local_fields
from bibld.config._structs import (
    Config,
    DedupConfig,
    EngineConfig,
    File,
    LocalField,
    MailConfig,
    MergeConfig,
    NotifyConfig,
    PublishConfig,
    Remote,
    RemoteConfig,
    Secret,
    Source,
    SourceConfig,
    StoreConfig,
    TriplifyConfig,
    flatten,
)
from bibld.errors import ConfigError
from bibld.model.iris import is_web_iri
from bibld.model.opac import PLACEHOLDERS, template_fault, unknown_placeholders
from bibld.model.origin import SOURCE_ID
from bibld.model.rdf import is_language_tag
from bibld.model.release import DatasetDescription
from bibld.protocols import adapters
from bibld.text.charsets import charset_name

_EXAMPLES = {
    "license": 'write license = "https://creativecommons.org/publicdomain/zero/1.0/" or another absolute IRI',
    "base": 'write base = "https://data.example.org/" or another absolute IRI',
    "title": 'write title = { en = "…" }',
    "workspace": 'name the folder for everything that bibld stores: workspace = "build/bibld"',
    "path": 'name a file, a list of files, or patterns: path = "dump/*.mrc"',
}
_TOML_TYPES = {"object": "table", "array": 'list ["…"]', "str": "string", "int": "integer", "bool": "true or false"}
_INVALID = object()
_MADE_FROM_DOCUMENTS = ("search", "feed", "sitemap")
"""Parts of a release that read the prepared documents, so that ``documents`` must be written before them."""


class _Top(msgspec.Struct, frozen=True):
    workspace: str
    dataset: DatasetDescription
    source: tuple[SourceConfig, ...]
    workers: int = 0
    crosswalk: dict[str, Any] = {}
    dedup: dict[str, Any] = {}
    merge: dict[str, Any] = {}
    triplify: dict[str, Any] = {}
    store: dict[str, Any] = {}
    publish: dict[str, Any] = {}
    serve: dict[str, Any] = {}
    notify: dict[str, Any] = {}
    engine: dict[str, Any] = {}


_NO_DATASET = DatasetDescription("", {}, "", "")
"""In place of one with faults, for the checks of other tables."""


class _NoKeys(msgspec.Struct, frozen=True):
    """A stage without own keys: it has only tables of adapters."""


class Checker:
    """Walks the tables of one file and collects faults."""

    def __init__(self, file: Path, shown: str, text: str) -> None:
        self._file = file
        self._shown = shown
        self._lines = _lines_of_keys(text)
        self._faults: list[tuple[int, str]] = []
        self._adapter_settings: dict[tuple[str, str], Any] = {}
        self._replaced: dict[str, str] = {}

    def check(self, tables: dict[str, Any]) -> Config:
        """Build the configuration; raises ``ConfigError`` with all faults, in the order of their lines."""
        self._check_keys(tables, [_Top], "")
        workspace = self._value(tables, "workspace", str, "", default="")
        if "\0" in workspace or ("workspace" in tables and not workspace.strip()):
            self._add_fault("workspace", f"is not a folder; {_EXAMPLES['workspace']}")
        workers = self._value(tables, "workers", Annotated[int, msgspec.Meta(ge=0)], "", default=0)
        dataset = self._dataset(tables.get("dataset"))
        sources = self._sources(tables.get("source", []))
        self._stage(tables, "crosswalk", _NoKeys, "crosswalk")
        dedup = self._stage(tables, "dedup", DedupConfig, "dedup.block", "dedup.score")
        self._check_names("dedup.block", dedup.block, "dedup.block")
        if not dedup.block:
            known = ", ".join(adapters.adapter_names("dedup.block"))
            self._add_fault("dedup.block", f"names no blocker; name at least one (allowed: {known})")
        self._check_names("dedup.score", (dedup.score,), "dedup.score")
        merge = self._stage(tables, "merge", MergeConfig, "merge")
        for element, policy in msgspec.structs.asdict(merge).items():
            self._check_names(f"merge.{element}", (policy,), "merge")
        store = self._stage(tables, "store", StoreConfig, "store")
        self._check_names("store.backend", (store.backend,), "store")
        remotes = self._remote_stores(store.remote)
        publish = self._stage(tables, "publish", PublishConfig, "publish")
        self._check_parts(publish.parts)
        triplify = self._triplify(self._stage(tables, "triplify", TriplifyConfig), sources)
        serve = self._stage(tables, "serve", adapters.stage_settings_type("serve"))
        notify = self._notify(self._table(tables, "notify", "notify"))
        engine = self._engine(tables)
        for fault in blocker_faults(dedup) if engine.name == "spark" else ():
            self._add_fault("dedup.block", fault)
        names = [remote.config.name for remote in remotes]
        if serve.store and serve.store not in names:
            self._add_fault("serve.store", adapters.unknown_name_message(serve.store, names, "[[store.remote]]"))
        if self._faults:
            raise ConfigError([fault for _, fault in sorted(self._faults, key=lambda fault: fault[0])])
        return Config(
            file=self._file,
            workspace=Path(os.path.normpath(self._file.parent / workspace)),
            workers=workers,
            dataset=dataset,
            sources=sources,
            dedup=dedup,
            merge=merge,
            triplify=triplify,
            store=store,
            publish=publish,
            serve=serve,
            adapter_settings=self._adapter_settings,
            remote_stores=remotes,
            notify=notify,
            engine=engine,
        )

    # -- tables ----------------------------------------------------------------------------------------------------

    def _dataset(self, table: Any) -> DatasetDescription:  # noqa: ANN401
        if not isinstance(table, dict):
            if table is not None:
                self._add_fault("dataset", "is not a table; write [dataset]")
            return _NO_DATASET
        dataset = self._checked(DatasetDescription, table, "dataset")
        self._check_language_tags(table, "dataset", "title", "description")
        if table.get("title") == {}:
            self._add_fault("dataset.title", f"is empty; {_EXAMPLES['title']}")
        base = table.get("base")
        if isinstance(base, str) and (not is_web_iri(base) or not base.endswith("/") or "?" in base or "#" in base):
            allowed = "an absolute http or https IRI that ends with / and has no query, fragment or blank"
            self._add_fault("dataset.base", f'"{base}" cannot be the base of IRIs; allowed is {allowed}')
        self._check_license(table.get("license"), "dataset.license")
        return dataset or _NO_DATASET

    def _sources(self, tables: Any) -> tuple[Source, ...]:  # noqa: ANN401
        if not isinstance(tables, list) or not tables or not all(isinstance(table, dict) for table in tables):
            self._add_fault("source", "at least one table [[source]] is required")
            return ()
        found = [self._source(table, f"source[{index}]") for index, table in enumerate(tables, 1)]
        ids = [source.id for source in found if source]
        for source_id in sorted({name for name in ids if ids.count(name) > 1}):
            where = f"source[{len(ids) - ids[::-1].index(source_id)}].id" if len(ids) == len(found) else "source"
            self._add_fault(where, f'more than one [[source]] has the id "{source_id}"; ids must differ')
        for where, source in ((f"source[{index}]", source) for index, source in enumerate(found, 1) if source):
            for key, names in (("cited_by", source.config.cited_by), ("return.from", source.return_policy.from_)):
                for name in sorted(set(names).difference(ids)):
                    self._add_fault(f"{where}.{key}", f'no [[source]] has the id "{name}"')
            if fault := source.return_policy.file_fault():
                self._add_fault(f"{where}.return.file", fault)
        return tuple(source for source in found if source)

    def _source(self, table: dict[str, Any], where: str) -> Source | None:
        harvest = self._settings_type(table, where, "harvest", "local")
        read = self._settings_type(table, where, "read", adapters.AUTO)
        self._settings_type(table, where, "crosswalk", adapters.AUTO)
        if harvest is not None:
            self._check_keys(table, [kind for kind in (SourceConfig, harvest, read) if kind], where)
        config = self._struct(SourceConfig, table, where)
        if config is None:
            return None
        if not SOURCE_ID.fullmatch(config.id):
            self._add_fault(f"{where}.id", f'"{config.id}" is not a source id; use small Latin letters and digits')
        self._check_license(config.license or None, f"{where}.license")
        self._check_language_tags(table, where, "label", "address", "opening")
        template, known = config.catalogue_url, list(PLACEHOLDERS)
        if unknown := unknown_placeholders(template):
            for name in unknown:
                self._add_fault(f"{where}.catalogue_url", adapters.unknown_name_message(name, known, "placeholder"))
        elif template and (fault := template_fault(template)):
            self._add_fault(f"{where}.catalogue_url", f'"{template}" {fault}')
        if config.charset != adapters.AUTO:
            try:
                charset_name(config.charset)
            except ConfigError as error:
                self._add_fault(f"{where}.charset", error.faults[0])
        harvest_settings = self._struct(harvest, table, where) if harvest else None
        if harvest_settings is not None:
            check = getattr(adapters.load_adapter("harvest", config.harvest), "faults", None)
            for key, message in check(self._file.parent, harvest_settings) if check is not None else ():
                self._add_fault(f"{where}.{key}", message)
        if config.worklist.profile:
            profile = File(os.path.normpath(self._file.parent / config.worklist.profile))
            config = msgspec.structs.replace(config, worklist=msgspec.structs.replace(config.worklist, profile=profile))
        fields = self._local_fields(config, where)
        source = Source(config, harvest_settings, self._struct(read, table, where) if read else None, fields=fields)
        return msgspec.structs.replace(source, columns=self._columns(source, where)) if config.columns else source

    def _remote_stores(self, tables: Sequence[dict[str, Any]]) -> tuple[Remote, ...]:
        found: list[Remote] = []
        for index, table in enumerate(tables, 1):
            where = f"store.remote[{index}]"
            settings_type = self._settings_type(table, where, "kind", "sparql", "store.remote")
            if settings_type is None:
                continue
            self._check_keys(table, [RemoteConfig, settings_type], where)
            config = self._struct(RemoteConfig, table, where)
            settings = self._struct(settings_type, table, where)
            if config is None or settings is None:
                continue
            if not SOURCE_ID.fullmatch(config.name):
                self._add_fault(f"{where}.name", f'"{config.name}" is not a name; use small Latin letters and digits')
            if fault := _fault_of_address(config.url):
                self._add_fault(f"{where}.url", fault)
            if config.password is not None and config.user is None and config.kind != "qlever":
                self._add_fault(f"{where}.password", 'needs a user; write user = { env = "NAME" }')
            if any(other.config.name == config.name for other in found):
                self._add_fault(f"{where}.name", f'more than one store has the name "{config.name}"; names must differ')
            found.append(Remote(config, settings))
        return tuple(found)

    def _triplify(self, config: TriplifyConfig, sources: Iterable[Source]) -> TriplifyConfig:
        """Return how publications are described, with the properties of the rules for local fields."""
        for property_ in config.properties:
            if not is_free_property(property_):
                fault = f'"{property_}" is not the absolute IRI of a property that a text of a record may state'
                self._add_fault("triplify.properties", f"{fault}; write another one")
        stated = {rule.property for source in sources for rule in source.fields if rule.property}
        return msgspec.structs.replace(config, properties=tuple(sorted(stated.union(config.properties))))

    def _notify(self, table: dict[str, Any]) -> NotifyConfig:
        """Return whom a run informs; ``[notify.mail]`` is checked key by key."""
        rest = {key: value for key, value in table.items() if key != "mail"}
        config: NotifyConfig = self._checked(NotifyConfig, rest, "notify")
        mail = self._table(table, "mail", "notify.mail")
        if table.get("mail") is not mail:  # absent, or no table
            return config
        return msgspec.structs.replace(config, mail=self._checked(MailConfig, mail, "notify.mail"))

    def _engine(self, tables: dict[str, Any]) -> EngineConfig:
        """Return the engine; folders without a scheme are relative to the configuration."""
        config: EngineConfig = self._stage(tables, "engine", EngineConfig)
        folders = {}
        for key in ("storage", "environment"):
            folder = getattr(config, key)
            if folder and "://" not in folder:
                folders[key] = os.path.normpath(self._file.parent / folder)
        properties = dict(flatten(config.conf))
        for key, value in properties.items():
            if not key.startswith("spark."):
                self._add_fault("engine.conf", f'"{key}" is not a property of Spark; their names begin with spark.')
            elif not isinstance(value, str | int | float):
                self._add_fault("engine.conf", f'"{key}" is neither text, number nor true or false')
        return msgspec.structs.replace(config, conf=properties, **folders)

    def _columns(self, source: Source, where: str) -> Any:  # noqa: ANN401
        """Return the column map of a source, checked against the first lines of its tables if they are on disk."""
        table, where = source.config.columns, f"{where}.columns"
        settings = self._checked(self._adapter("crosswalk", "columns", where), table, where)
        if source.harvest is None or source.config.read not in (adapters.AUTO, "csv"):
            return settings
        on_disk = getattr(adapters.load_adapter("harvest", source.config.harvest), "on_disk", None)
        if on_disk is not None:
            read_header, paths = adapters.load_adapter("read", "csv").header, on_disk(self._file.parent, source.harvest)
            known = [column for path in paths for column in read_header(path, source.read)]
            for key, column in settings.missing(table, known) if known else ():
                self._add_fault(f"{where}.{key}", adapters.unknown_name_message(column, known, "column of the files"))
        return settings

    def _settings_type(
        self, table: dict[str, Any], where: str, key: str, default: str, adapter_stage: str = ""
    ) -> type[Any] | None:
        """Return the settings type of the adapter that a key names; None for "auto" or a fault.

        The key is that of the adapters' stage unless ``adapter_stage`` names another one.
        """
        stage = adapter_stage or key
        name = table.get(key, default)
        if name == default == adapters.AUTO:
            return None
        if not isinstance(name, str) or name not in adapters.adapter_names(stage):
            also = (adapters.AUTO,) if default == adapters.AUTO else ()
            self._add_fault(f"{where}.{key}", adapters.unknown_adapter_message(stage, str(name), also))
            return None
        return self._adapter(stage, name, where)

    def _stage(self, tables: dict[str, Any], stage: str, type_: type[Any], *adapter_stages: str) -> Any:  # noqa: ANN401
        """Return the settings of a stage; check its keys and the tables ``[stage.name]`` of its adapters."""
        table = self._table(tables, stage, stage)
        own = [field.encode_name for field in msgspec.structs.fields(type_)]
        stage_of = {name: inner for inner in reversed(adapter_stages) for name in adapters.adapter_names(inner)}
        for key, value in table.items():
            where = f"{stage}.{key}"
            if key in own:
                continue
            if key not in stage_of:
                if isinstance(value, dict) and len(adapter_stages) == 1:
                    self._add_key_fault(where, adapters.unknown_adapter_message(stage, key))
                else:
                    self._add_unknown_key(where, [*own, *stage_of])
            elif self._table(table, key, where) is value:
                settings = self._adapter(stage_of[key], key, where)
                self._adapter_settings[stage_of[key], key] = self._checked(settings, value, where)
        return self._struct(type_, table, stage)

    def _table(self, tables: dict[str, Any], key: str, where: str) -> dict[str, Any]:
        """Return the table of a key; empty if there is none, or with a fault if something else is there."""
        table = tables.get(key, {})
        if isinstance(table, dict):
            return table
        self._add_fault(where, f"is not a table; write [{where}]")
        return {}

    def _adapter(self, stage: str, name: str, where: str) -> type[Any]:
        """Return the settings of an adapter whose keys are in the table ``where``; note those that were replaced."""
        replaced = getattr(adapters.load_adapter(stage, name), "REPLACED", {})
        self._replaced |= {_join(where, key): advice for key, advice in replaced.items()}
        return adapters.settings_type(stage, name)

    # -- keys and values -------------------------------------------------------------------------------------------

    def _check_keys(self, table: dict[str, Any], types: Iterable[type[Any]], where: str) -> None:
        fields = {field.encode_name: field for type_ in types for field in msgspec.structs.fields(type_)}
        for key in table:
            if key not in fields:
                self._add_unknown_key(_join(where, key), list(fields))
        for key, field in fields.items():
            if field.required and key not in table:
                hint = f"; {_EXAMPLES[key]}" if key in _EXAMPLES else ""
                self._add_key_fault(_join(where, key), f'missing key "{_join(where, key)}"{hint}')

    def _checked(self, type_: type[Any], table: dict[str, Any], where: str) -> Any:  # noqa: ANN401
        """Check the keys of a table, and build a struct from them."""
        self._check_keys(table, [type_], where)
        return self._struct(type_, table, where)

    def _struct(self, type_: type[Any], table: dict[str, Any], where: str) -> Any:  # noqa: ANN401
        """Build a struct from the keys of a table, defaults for faulty ones; None if a required key has no value."""
        values: dict[str, Any] = {}
        for field in msgspec.structs.fields(type_):
            value = self._value(table, field.encode_name, field.type, where, _INVALID)
            if value is not _INVALID:
                is_file = field.type == File and value
                values[field.name] = os.path.normpath(self._file.parent / value) if is_file else value
            elif field.required:
                return None
        return type_(**values)

    def _value(self, table: dict[str, Any], key: str, type_: Any, where: str, default: Any) -> Any:  # noqa: ANN401
        if key not in table:
            return default
        try:
            return msgspec.convert(table[key], type_)
        except msgspec.ValidationError as error:
            words = re.sub(r"`([^`]*)`", lambda found: _TOML_TYPES.get(found[1], found[1]), str(error))
            words = words.replace("Expected", "expected").replace(" - at $", " at ")
            words += f"; {_EXAMPLES[key]}" if key in _EXAMPLES else ""
            self._add_fault(_join(where, key), self._replaced.get(_join(where, key), words))
            return default

    def _check_names(self, where: str, names: Iterable[str], stage: str) -> None:
        for name in names:
            if name not in adapters.adapter_names(stage):
                self._add_fault(where, adapters.unknown_adapter_message(stage, name))

    def _check_parts(self, parts: Sequence[str]) -> None:
        self._check_names("publish.parts", parts, "publish")
        for name in _MADE_FROM_DOCUMENTS:
            if name in parts and "documents" not in parts[: parts.index(name)]:
                self._add_fault("publish.parts", f'"{name}" is made from the documents; name "documents" before it')

    def _check_license(self, iri: Any, where: str) -> None:  # noqa: ANN401
        if isinstance(iri, str) and not is_web_iri(iri):
            self._add_fault(where, f'"{iri}" is not an absolute IRI; {_EXAMPLES["license"]}')

    def _check_language_tags(self, table: dict[str, Any], where: str, *keys: str) -> None:
        for key in keys:
            texts = table.get(key, {})
            for tag in texts if isinstance(texts, dict) else ():
                if not is_language_tag(tag):
                    self._add_fault(_join(where, key), f'"{tag}" is not a language tag; use a BCP 47 tag such as en')

    def _local_fields(self, source: SourceConfig, where: str) -> tuple[LocalField, ...]:
        """Return the rules for local fields of a source; check its fields of copies and the names of libraries, too."""
        rules, faults = read_local_fields(source)
        for key, message in [*copy_faults(source.holdings), *faults]:
            self._add_fault(f"{where}.{key}", message)
        for code, names in source.libraries.items():
            at = f"{where}.libraries"
            texts = [names] if isinstance(names, str) else names.values()
            if not texts or not all(text.strip() for text in texts):
                self._add_fault(at, f'"{code}" has no name; write an ISIL, a name, or {{ en = "…" }}')
            self._check_language_tags({code: names}, at, code)
        return rules

    # -- faults ----------------------------------------------------------------------------------------------------

    def _add_fault(self, where: str, message: str) -> None:
        """Add a fault of the value of a key."""
        self._add_key_fault(where, f"{where}: {message}")

    def _add_key_fault(self, where: str, message: str) -> None:
        """Add a fault with the line of a key, or of the table that it belongs to."""
        table = where
        while table and table not in self._lines:
            table = table.rpartition(".")[0]
        line = self._lines.get(table, 0)
        at = f"{line}:" if line else ""
        self._faults.append((line, f"{self._shown}:{at} {message}"))

    def _add_unknown_key(self, where: str, known: Sequence[str]) -> None:
        if where in self._replaced:
            self._add_fault(where, self._replaced[where])
            return
        close = difflib.get_close_matches(where.rpartition(".")[2], known, n=1)
        hint = f'did you mean "{close[0]}"?' if close else f"allowed: {', '.join(sorted(known)) or 'none'}"
        self._add_key_fault(where, f'unknown key "{where}"; {hint}')


def blocker_faults(dedup: DedupConfig) -> list[str]:
    """Return what is wrong with the blockers for an engine of many machines, on which no task has all records."""
    known = adapters.adapter_names("dedup.block")
    return [
        f'"{name}" compares all records in the memory of one machine; use blockers with keys, such as "identifier" and'
        ' "composite", or engine.name = "local"'
        for name in dict.fromkeys(dedup.block)
        if name in known
        and any(hasattr(adapters.load_adapter("dedup.block", name), part) for part in ("join", "fit", "passes"))
    ]


def remote_of_url(url: str, kind: str, user: str, password: str) -> Remote:
    """Return a remote store that no configuration names; ``user`` and ``password`` are environment variables or empty.

    Raises ``ConfigError``.
    """
    if fault := _fault_of_address(url):
        raise ConfigError([fault])
    config = RemoteConfig(
        name=url,
        url=url,
        kind=kind,
        user=Secret(user) if user else None,
        password=Secret(password) if password else None,
    )
    return Remote(config, adapters.settings_type("store.remote", kind)())


def _fault_of_address(url: str) -> str:
    """Return what is wrong with the address of a remote store; empty if nothing is."""
    try:
        parts = urllib.parse.urlsplit(url)
        is_valid = parts.scheme in ("http", "https") and bool(parts.hostname) and parts.port != 0
    except ValueError:
        is_valid = False
    if is_valid and "@" in parts.netloc:
        return 'contains credentials, which messages would show; use user and password, { env = "NAME" } each'
    if not is_valid or not is_web_iri(url):
        return f'"{url}" is not the address of a store; write an absolute http or https address'
    if parts.query or parts.fragment:
        return f'"{url}" has a query or fragment; write the address without it'
    return ""


def _join(where: str, key: str) -> str:
    return f"{where}.{key}" if where else key


def _lines_of_keys(text: str) -> dict[str, int]:
    """Return the line of each key that begins a line, by its dotted name (``source[2].charset``)."""
    lines: dict[str, int] = {}
    table, sources, remotes = "", 0, 0
    for number, line in enumerate(text.splitlines(), 1):
        if header := re.match(r"\s*\[\[?\s*([\w.\-]+)\s*\]", line):
            name = header[1]
            sources += name == "source"
            remotes += name == "store.remote"
            table = re.sub(r"^source\b", f"source[{sources}]", name)
            table = re.sub(r"^store\.remote\b", f"store.remote[{remotes}]", table)
            lines.setdefault(table, number)
        elif key := re.match(r"\s*([\w.\-]+)\s*=", line):
            lines.setdefault(_join(table, key[1]), number)
    return lines

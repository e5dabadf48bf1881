"""Checks the tables of a configuration; every fault is noted, none is the end."""

from __future__ import annotations

import importlib
import os
import re
from pathlib import Path
from typing import Annotated, Any

import msgspec

from bibld import adapters
from bibld.config._structs import Config, DedupConfig, File, MergeConfig, Source, SourceConfig, StoreConfig
from bibld.errors import ConfigError
from bibld.model.origin import SOURCE_ID
from bibld.model.rdf import is_language_tag
from bibld.model.release import DatasetDescription
from bibld.model.web import is_web_iri


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


class Checker:
    """Walks the tables and collects faults."""

    def __init__(self, file: Path, shown: str, text: str) -> None:
        self.file = file
        self.shown = shown
        self.lines = _key_lines(text)
        self.faults: list[str] = []
        self.adapter_settings: dict[tuple[str, str], Any] = {}

    def fault(self, where: str, message: str) -> None:
        line = self.lines.get(where)
        at = f" line {line}" if line else ""
        self.faults.append(f"{self.shown}{at}: {where}: {message}")

    def config(self, tables: dict[str, Any]) -> Config:
        self._known_and_present(tables, [_Top], "")
        workspace = self._value(tables, "workspace", str, "", default="")
        if "\0" in workspace or ("workspace" in tables and not workspace.strip()):
            self.fault("workspace", f"must name a folder{_EXPECTED['workspace']}")
        workers = self._value(tables, "workers", Annotated[int, msgspec.Meta(ge=0)], "", default=0)
        dataset = self._dataset(tables.get("dataset"))
        sources = self._sources(tables.get("source", []))
        self._adapter_tables("crosswalk", self._table(tables, "crosswalk"), adapters.adapter_names("crosswalk"))
        dedup = self._dedup(self._table(tables, "dedup"))
        merge = self._merge(self._table(tables, "merge"))
        store = self._store(self._table(tables, "store"))
        publish = self._publish(self._table(tables, "publish"))
        triplify, serve = (self._stage_settings(stage, self._table(tables, stage)) for stage in ("triplify", "serve"))
        if self.faults:
            raise ConfigError(self.faults)
        place = Path(os.path.normpath(self.file.parent / workspace))
        return Config(
            file=self.file,
            workspace=place,
            workers=workers,
            dataset=dataset,
            sources=sources,
            dedup=dedup,
            merge=merge,
            triplify=triplify,
            store=store,
            publish=publish,
            serve=serve,
            adapter_settings=self.adapter_settings,
        )

    def _table(self, tables: dict[str, Any], key: str) -> dict[str, Any]:
        value = tables.get(key, {})
        if not isinstance(value, dict):
            self.fault(key, f"must be a table [{key}]")
            return {}
        return value

    def _known_and_present(self, table: dict[str, Any], types: list[type[Any]], where: str) -> None:
        fields = {field.encode_name: field for type_ in types for field in msgspec.structs.fields(type_)}
        for key in table:
            if key not in fields:
                self.fault(_dotted(where, key), adapters.unknown_name_message(key, sorted(fields), "key"))
        for key, field in fields.items():
            if field.required and key not in table:
                self.fault(_dotted(where, key), f"is required and has no default{_EXPECTED.get(key, '')}")

    def _value(self, table: dict[str, Any], key: str, type_: Any, where: str, default: Any) -> Any:  # noqa: ANN401
        if key not in table:
            return default
        try:
            return msgspec.convert(table[key], type_)
        except msgspec.ValidationError as error:
            self.fault(_dotted(where, key), _readable(error))
            return default

    def _struct(self, type_: type[Any], table: dict[str, Any], where: str) -> Any:  # noqa: ANN401
        """Build a struct from those keys of the table that it has; faults are noted, defaults stand in."""
        values: dict[str, Any] = {}
        for field in msgspec.structs.fields(type_):
            if field.encode_name in table:
                value = self._value(table, field.encode_name, field.type, where, _ABSENT)
                if value is not _ABSENT:
                    is_file = field.type == File and value
                    values[field.name] = os.path.normpath(self.file.parent / value) if is_file else value
        missing = [f for f in msgspec.structs.fields(type_) if f.required and f.name not in values]
        return None if missing else type_(**values)

    def _dataset(self, table: Any) -> DatasetDescription:  # noqa: ANN401
        if not isinstance(table, dict):
            self.fault("dataset", "must be a table [dataset]")
            table = {}
        else:
            self._known_and_present(table, [DatasetDescription], "dataset")
        found = self._struct(DatasetDescription, table, "dataset")
        self._check_texts(table, "dataset", "title", "description")
        if table.get("title") == {}:
            self.fault("dataset.title", f"is empty{_EXPECTED['title']}")
        base, license_iri = table.get("base"), table.get("license")
        if isinstance(base, str):
            self._check_base(base)
        if isinstance(license_iri, str) and not is_web_iri(license_iri):
            self.fault("dataset.license", f'"{license_iri}" is no IRI; {_LICENSE_HINT}')
        return found or DatasetDescription("", {}, "", "")

    def _check_texts(self, table: dict[str, Any], where: str, *keys: str) -> None:
        """Texts by language must be named by language tags."""
        for key in keys:
            texts = table.get(key, {})
            for tag in texts if isinstance(texts, dict) else ():
                if not is_language_tag(tag):
                    self.fault(
                        _dotted(where, key), f'"{tag}" is no language tag; allowed are BCP 47 tags such as en or ru'
                    )

    def _check_base(self, base: str) -> None:
        if not is_web_iri(base) or not base.endswith("/") or "?" in base or "#" in base:
            allowed = "an absolute http or https IRI that ends with / and has no query, fragment or blank"
            self.fault("dataset.base", f'"{base}" cannot be the base of IRIs; allowed is {allowed}')

    def _sources(self, tables: Any) -> tuple[Source, ...]:  # noqa: ANN401
        if not isinstance(tables, list) or not tables or not all(isinstance(table, dict) for table in tables):
            self.fault("source", "at least one table [[source]] is required")
            return ()
        found = [self._source(table, f"source[{index}]") for index, table in enumerate(tables, 1)]
        ids = [source.id for source in found if source]
        for again in sorted({name for name in ids if ids.count(name) > 1}):
            self.fault("source", f'the id "{again}" stands in more than one [[source]]; ids must differ')
        return tuple(source for source in found if source)

    def _source(self, table: dict[str, Any], where: str) -> Source | None:
        harvest = self._named(table, where, "harvest", "harvest", "local")
        read = self._named(table, where, "read", "read", "auto")
        self._named(table, where, "crosswalk", "crosswalk", "auto")
        kinds: list[type[Any]] = [SourceConfig, *(kind for kind in (harvest, read) if kind)]
        if harvest is not None:
            self._known_and_present(table, kinds, where)
        config = self._struct(SourceConfig, table, where)
        if config is None:
            return None
        if not SOURCE_ID.fullmatch(config.id):
            self.fault(f"{where}.id", f'"{config.id}" is no source id; allowed are small Latin letters and digits')
        if config.license and not is_web_iri(config.license):
            self.fault(f"{where}.license", f'"{config.license}" is no IRI; {_LICENSE_HINT}')
        self._check_texts(table, where, "label")
        self._check_charset(config.charset, where)
        self._check_deletes(config.deletes, where)
        harvest_settings = self._struct(harvest, table, where) if harvest else None
        if harvest and harvest_settings is not None:
            self._check_files(config, harvest_settings, where)
        found = Source(config, harvest_settings, self._struct(read, table, where) if read else None)
        return msgspec.structs.replace(found, columns=self._columns(found, where)) if config.columns else found

    def _columns(self, source: Source, where: str) -> Any:  # noqa: ANN401
        """The map of columns of a source, checked against the first lines of its tables where they are on disk."""
        table, where = source.config.columns, f"{where}.columns"
        type_ = adapters.settings_type("crosswalk", "columns")
        self._known_and_present(table, [type_], where)
        settings = self._struct(type_, table, where)
        if source.harvest is None or source.config.read not in ("auto", "csv"):
            return settings
        on_disk = getattr(adapters.load_adapter("harvest", source.config.harvest), "on_disk", None)
        if on_disk is not None:
            read_header, paths = adapters.load_adapter("read", "csv").header, on_disk(self.file.parent, source.harvest)
            known = [column for path in paths for column in read_header(path, source.read)]
            for key, column in settings.missing(table, known) if known else ():
                self.fault(f"{where}.{key}", adapters.unknown_name_message(column, known, "column of the files"))
        return settings

    def _check_deletes(self, deletes: str, where: str) -> None:
        if not deletes:
            return
        try:
            (self.file.parent / deletes).read_text(encoding="utf-8-sig")
        except (OSError, ValueError) as error:
            self.fault(f"{where}.deletes", f'"{deletes}" cannot be read as text in UTF-8: {error}')

    def _check_charset(self, charset: str, where: str) -> None:
        if charset == "auto":
            return
        try:
            importlib.import_module("bibld.read").charset_name(charset)
        except ConfigError as error:
            self.fault(f"{where}.charset", error.faults[0])

    def _check_files(self, config: SourceConfig, settings: Any, where: str) -> None:  # noqa: ANN401
        check = getattr(adapters.load_adapter("harvest", config.harvest), "faults", None)
        if check is not None:
            for key, message in check(self.file.parent, settings):
                self.fault(f"{where}.{key}", message)

    def _named(self, table: dict[str, Any], where: str, key: str, stage: str, default: str) -> type[Any] | None:
        """The settings type of the adapter that a key names; None for "auto" or a fault."""
        name = table.get(key, default)
        if name == "auto" and default == "auto":
            return None
        known = adapters.adapter_names(stage)
        if not isinstance(name, str) or name not in known:
            also = (adapters.AUTO,) if default == adapters.AUTO else ()
            self.fault(f"{where}.{key}", adapters.unknown_adapter_message(stage, str(name), also))
            return None
        return adapters.settings_type(stage, name)

    def _adapter_tables(self, stage: str, tables: dict[str, Any], names: list[str], inner: str = "") -> None:
        """Check ``[stage.name]`` tables; ``inner`` is the folder of the adapters inside the stage."""
        for name, table in tables.items():
            where = f"{stage}.{name}"
            if name not in names:
                message = adapters.unknown_name_message(name, names, "dedup adapter")
                self.fault(where, message if inner else adapters.unknown_adapter_message(stage, name))
                continue
            if not isinstance(table, dict):
                self.fault(where, f"must be a table [{where}]")
                continue
            full = f"{stage}.{inner}" if inner else stage
            type_ = adapters.settings_type(full, name)
            self._known_and_present(table, [type_], where)
            self.adapter_settings[full, name] = self._struct(type_, table, where)

    def _dedup(self, table: dict[str, Any]) -> DedupConfig:
        own = {field.name for field in msgspec.structs.fields(DedupConfig)}
        config = self._struct(DedupConfig, table, "dedup") or DedupConfig()
        blockers, scorers = adapters.adapter_names("dedup.block"), adapters.adapter_names("dedup.score")
        for name in config.block:
            if name not in blockers:
                self.fault("dedup.block", adapters.unknown_adapter_message("dedup.block", name))
        if not config.block:
            self.fault("dedup.block", f"at least one blocker is needed (allowed: {', '.join(blockers)})")
        if config.score not in scorers:
            self.fault("dedup.score", adapters.unknown_adapter_message("dedup.score", config.score))
        for name, inner in table.items():
            if name in own:
                continue
            place = "block" if name in blockers else "score"
            self._adapter_tables("dedup", {name: inner}, sorted({*blockers, *scorers}), place)
        return config

    def _merge(self, table: dict[str, Any]) -> MergeConfig:
        elements = {field.name for field in msgspec.structs.fields(MergeConfig)}
        policies = adapters.adapter_names("merge")
        for key, value in table.items():
            if key in elements and isinstance(value, str) and value not in policies:
                self.fault(f"merge.{key}", adapters.unknown_adapter_message("merge", value))
            elif key not in elements and key not in policies:
                self.fault(f"merge.{key}", adapters.unknown_name_message(key, sorted({*elements, *policies}), "key"))
        self._adapter_tables("merge", {key: value for key, value in table.items() if key in policies}, policies)
        return self._struct(MergeConfig, table, "merge") or MergeConfig()

    def _store(self, table: dict[str, Any]) -> StoreConfig:
        config = self._struct(StoreConfig, table, "store") or StoreConfig()
        known = adapters.adapter_names("store")
        if config.backend not in known:
            self.fault("store.backend", adapters.unknown_adapter_message("store", config.backend))
        self._adapter_tables("store", {key: value for key, value in table.items() if key != "backend"}, known)
        return config

    def _publish(self, table: dict[str, Any]) -> Any:  # noqa: ANN401
        parts = adapters.adapter_names("publish")
        inner = {key: value for key, value in table.items() if key in parts}
        settings = self._stage_settings("publish", {key: value for key, value in table.items() if key not in parts})
        for name in settings.parts if settings is not None else ():
            if name not in parts:
                self.fault("publish.parts", adapters.unknown_adapter_message("publish", name))
        self._adapter_tables("publish", inner, parts)
        return settings

    def _stage_settings(self, stage: str, table: dict[str, Any]) -> Any:  # noqa: ANN401
        type_ = importlib.import_module(f"bibld.{stage}").Settings
        self._known_and_present(table, [type_], stage)
        return self._struct(type_, table, stage)


_ABSENT = object()
_LICENSE_HINT = "allowed is an absolute IRI such as https://creativecommons.org/publicdomain/zero/1.0/"
_EXPECTED = {
    "license": f"; {_LICENSE_HINT}",
    "base": "; allowed is an absolute IRI such as https://data.example.org/",
    "title": '; write title = { en = "…" }',
    "workspace": '; name the folder for everything that bibld keeps, such as "build/bibld"',
    "path": '; name a file, a list of files, or patterns such as "dump/*.mrc"',
}


def _dotted(where: str, key: str) -> str:
    return f"{where}.{key}" if where else key


def _readable(error: msgspec.ValidationError) -> str:
    return str(error).replace("`", "").replace("Expected", "expected").replace(" - at $", " at ")


def _key_lines(text: str) -> dict[str, int]:
    """Where each key stands: dotted name (``source[2].charset``) to line number, for keys written one a line."""
    found: dict[str, int] = {}
    where, sources = "", 0
    for number, line in enumerate(text.splitlines(), 1):
        if header := re.match(r"\s*\[\[?\s*([\w.\-]+)\s*\]", line):
            name = header[1]
            sources += name == "source"
            where = re.sub(r"^source\b", f"source[{sources}]", name)
            found.setdefault(where, number)
        elif key := re.match(r"\s*([\w\-]+)\s*=", line):
            found.setdefault(_dotted(where, key[1]), number)
    return found

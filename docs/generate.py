"""Write those parts of the documentation that are taken from the code.

A part is between ``<!-- generated: NAME ARGUMENT -->`` and ``<!-- end -->`` in a page; the rest is written by hand.
``python docs/generate.py`` writes all parts again; with ``--check`` nothing is written, and the exit code is 1
when a page would change. Long parts are not stored: a line that begins with ``<!-- made: NAME ARGUMENT -->`` is the
place of one, and ``--out FOLDER`` (``make docs``) writes all pages with them there.
"""

from __future__ import annotations

import importlib
import inspect
import re
import shutil
import sys
import tempfile
from collections.abc import Callable, Iterator, Sequence
from functools import cached_property
from itertools import groupby
from pathlib import Path
from typing import Any

import click
import msgspec
import reference_vocabularies as vocabularies
from reference_tables import table

import bibld
from bibld import cli, errors
from bibld.config import (
    DedupConfig,
    EngineConfig,
    MailConfig,
    MergeConfig,
    NotifyConfig,
    PublishConfig,
    RemoteConfig,
    ReturnConfig,
    SourceConfig,
    StoreConfig,
    TriplifyConfig,
    WorklistConfig,
)
from bibld.crosswalk import rules_of, writers_of
from bibld.model.iris import Iris
from bibld.model.linkage import Pair
from bibld.model.mods import Mods
from bibld.model.origin import RecordId
from bibld.model.release import DatasetDescription
from bibld.protocols import adapters
from bibld.serve.ontology import example_queries
from bibld.serve.settings import LimitSettings
from bibld.serve.site import JSON_KEYS, MEDIA_TYPES

DOCS = Path(__file__).parent
_WIDTH = 100
_PART = re.compile(r"(<!-- generated: ([\w-]+)(?: ([\w./-]+))? -->\n).*?(<!-- end -->)", re.DOTALL)
_LONG_PART = re.compile(r"^<!-- made: ([\w-]+)(?: ([\w./-]+))? -->.*$", re.MULTILINE)
_BASE = "https://data.example.org/"

MEANINGS = {
    "dataset.base": "what every IRI begins with; absolute, ends with `/`; never change it once it is published",
    "dataset.title": "name of the dataset, by language",
    "dataset.license": "IRI of the licence under which the whole is published",
    "dataset.publisher": "who publishes the dataset",
    "dataset.description": "a sentence or two about the dataset, by language",
    "source.id": "short name, small Latin letters and digits; part of every IRI of the source's records",
    "source.label": "name of the library, by language; the id where absent",
    "source.isil": "the library's code (ISO 15511)",
    "source.harvest": "name of the harvester",
    "source.read": "name of the reader, or `auto`: found by the first bytes of each file",
    "source.crosswalk": "name of the flavour, or `auto`: found for each record",
    "source.charset": "charset of all files, or `auto`: found for each file and, in a file that mixes, each record",
    "source.members": "patterns for the files in archives that are read, such as `*.mrc`",
    "dedup.block": "blockers; a pair that any of them proposes is compared",
    "dedup.score": "the scorer of candidate pairs",
    "store.backend": "name of the triple store",
    "store.remote.user": 'the environment variable that contains the name of the user, `{ env = "NAME" }`',
    "notify.mail.user": 'the environment variable that contains the name of the user, `{ env = "NAME" }`',
    "notify.mail.password": "the environment variable that contains the password",
    "store.remote.password": "the environment variable that contains the password, or the access token",
    "serve.host": "address to listen on",
    "serve.port": "port to listen on; 0 takes a free one",
    "serve.processes": "server processes on one socket; 0 for one on each processor core",
    "serve.request_timeout": "seconds for the header of a request, for its body, and of an idle connection",
    "serve.hosts": "names that requests may have in `Host`; any if empty",
    "serve.contact": "mail address of those who run the site, for readers and harvesters (these: else webmaster)",
    "serve.access_log_format": "format of the access log",
    "serve.limits": "requests that one client may send in a minute: see `[serve.limits]`",
    "serve.query_timeout": "seconds that one query may take, waiting for its turn included",
    "serve.query_memory": "MiB that one query may take beside what the store takes",
    "serve.query_workers": "queries that run at once, each in its own process",
    "serve.query_queue": "queries that may wait; further ones are refused",
    "serve.query_cache": "MiB of query results that are remembered as long as a release is served; 0 for none",
    "serve.query_share": "share of these places (workers and queue) that one client address may have, and always one",
    "serve.max_result": "MiB of the largest answer",
}
"""The meanings of keys that the docstring of their struct does not explain in a separate clause."""


def plain(docstring: str | None) -> str:
    """Return a docstring as Markdown: a line for each paragraph, other marks, examples as code."""
    text = inspect.cleandoc(docstring or "")
    text = re.sub(r":(?:func|class|meth|mod):`~?([^`]+)`", r"`\1`", text)
    text = text.replace("``", "`")
    return "\n\n".join(
        f"```pycon\n{paragraph}\n```" if paragraph.startswith(">>>") else re.sub(r"\s*\n\s*", " ", paragraph)
        for paragraph in text.split("\n\n")
    )


# -- settings --------------------------------------------------------------------------------------------------------

_STRUCTS: dict[str, type[Any]] = {
    "dataset": DatasetDescription,
    "source": SourceConfig,
    "source.worklist": WorklistConfig,
    "source.return": ReturnConfig,
    "dedup": DedupConfig,
    "merge": MergeConfig,
    "triplify": TriplifyConfig,
    "store": StoreConfig,
    "store.remote": RemoteConfig,
    "publish": PublishConfig,
    "serve.limits": LimitSettings,
    "notify": NotifyConfig,
    "notify.mail": MailConfig,
    "engine": EngineConfig,
}


def settings(section: str) -> str:
    """Return the keys of one table of the configuration."""
    struct = _STRUCTS.get(section) or importlib.import_module(f"bibld.{section}").Settings
    return table(_KEY_COLUMNS, keys(struct, section))


_KEY_COLUMNS = ("key", "type", "default", "meaning")


def keys(struct: type[Any], section: str) -> list[tuple[str, str, str, str]]:
    """Return the keys of a settings struct, each with type, default and meaning."""
    fields = msgspec.structs.fields(struct)
    names = [field.encode_name for field in fields]
    return [
        (f"`{key}`", words(field.type), default(field), meaning(struct, key, names, section))
        for key, field in zip(names, fields, strict=True)
    ]


def meaning(struct: type[Any], key: str, names: Sequence[str], section: str) -> str:
    """Return the meaning of a key: the clause of the docstring that begins with it, else the one in this file."""
    others = "|".join(map(re.escape, names))
    clause = re.compile(rf"`{re.escape(key)}`(?::| is| are| names)\s+(.*?)(?=[;,.]\s+`(?:{others})`|\Z)", re.DOTALL)
    for kind in struct.__mro__:
        if kind is msgspec.Struct:
            break
        found = clause.search(plain(kind.__doc__))
        if found is not None:
            return " ".join(found[1].split()).rstrip(".;,")
    return MEANINGS.get(f"{section}.{key}", "")


def words(type_: Any) -> str:  # noqa: ANN401
    """Return a type in words of TOML."""
    return _words(msgspec.inspect.type_info(type_))


def _words(info: Any) -> str:  # noqa: ANN401
    match info:
        case msgspec.inspect.StrType():
            return "string"
        case msgspec.inspect.BoolType():
            return "true or false"
        case msgspec.inspect.IntType() | msgspec.inspect.FloatType():
            kind = "whole number" if isinstance(info, msgspec.inspect.IntType) else "number"
            bounds = [f"from {info.ge}"] * (info.ge is not None) + [f"to {info.le}"] * (info.le is not None)
            return " ".join([kind, *bounds])
        case msgspec.inspect.LiteralType():
            return " or ".join(f"`{_toml(value)}`" for value in info.values)
        case msgspec.inspect.VarTupleType() | msgspec.inspect.ListType():
            return f"list of {_words(info.item_type)}s"
        case msgspec.inspect.TupleType():
            return f"list of {len(info.item_types)} {_words(info.item_types[0])}s"
        case msgspec.inspect.DictType():
            is_text = isinstance(info.value_type, msgspec.inspect.StrType)
            return "table of language and text" if is_text else "table"
        case msgspec.inspect.StructType():
            return "table"
        case msgspec.inspect.UnionType():
            kinds = [kind for kind in info.types if not isinstance(kind, msgspec.inspect.NoneType)]
            return " or ".join(map(_words, kinds))
        case _:
            return type(info).__name__


def default(field: msgspec.structs.FieldInfo) -> str:
    """Return the default of a key as TOML writes it."""
    if field.required:
        return "required"
    value = field.default if field.default_factory is msgspec.NODEFAULT else field.default_factory()
    return "none" if value is None or _toml(value) == "{}" else f"`{_toml(value)}`"


def _toml(value: Any) -> str:  # noqa: ANN401
    if isinstance(value, tuple | list):
        return "[" + ", ".join(map(_toml, value)) + "]"
    return msgspec.json.encode(value).decode()


# -- stages, adapters, commands, errors ------------------------------------------------------------------------------


def stage_docstring(name: str) -> str:
    """Return the docstring of a stage's package."""
    return plain(importlib.import_module(f"bibld.{name}").__doc__)


def adapters_of(stage: str) -> str:
    """Return a list of the adapters of a stage with their docstrings; a long one keeps its paragraphs."""
    items = []
    for name in adapters.adapter_names(stage):
        text = plain(adapters.load_adapter(stage, name).__doc__)
        items.append(f"- `{name}`: " + text.replace("\n\n", "\n\n  " if len(text) > _MAX_ITEM else " "))
    return "\n".join(items)


_MAX_ITEM = 600


def adapter_keys(stage: str) -> str:
    """Return one table of the settings of all adapters of a stage; a key that adapters share has one row."""
    shared: dict[tuple[str, str, str, str], list[str]] = {}
    without = []
    names = adapters.adapter_names(stage)
    for name in names:
        rows = keys(adapters.load_adapter(stage, name).Settings, f"{stage}.{name}")
        if not rows:
            without.append(f"`{name}`")
        for row in rows:
            shared.setdefault(row, []).append(name)
    by_adapters = sorted(shared.items(), key=lambda item: (-len(item[1]), item[1]))
    rows = [(", ".join(f"`{name}`" for name in found), *row) for row, found in by_adapters]
    parts = [table(("adapter", *_KEY_COLUMNS), rows)] if rows else []
    return "\n\n".join(parts + ([f"Without settings: {', '.join(without)}."] if without else []))


def commands() -> str:
    """Return the help of every command."""
    return "\n\n".join(f"## {name}\n\n```text\n{text}\n```" for name, text in _helps("bibld", cli.command_line, None))


def _helps(name: str, command: click.Command, parent: click.Context | None) -> Iterator[tuple[str, str]]:
    names = {"help_option_names": ["-h", "--help"]}
    context = click.Context(command, parent, name.split()[-1], terminal_width=_WIDTH, **names)  # type: ignore[arg-type]
    yield name, "\n".join(line.rstrip() for line in command.get_help(context).splitlines())
    if isinstance(command, click.Group):
        for inner in command.list_commands(context):
            found = command.get_command(context, inner)
            if found is not None:
                yield from _helps(f"{name} {inner}", found, context)


def error_tree() -> str:
    """Return the tree of errors, and what each means."""
    known = [kind for kind in vars(errors).values() if isinstance(kind, type) and issubclass(kind, errors.BibldError)]
    tree = "\n".join((errors.BibldError.__name__, *_branches(errors.BibldError, known)))
    rows = [(f"`{kind.__name__}`", _exit_code(kind), plain(kind.__doc__).replace("\n\n", " ")) for kind in known]
    return f"```text\n{tree}\n```\n\n" + table(("error", "exit code", "when"), rows)


def faults(cases_of: str) -> str:
    """Return a table of the faults that tests provoke (``test_faults.DOUBTFUL``): name, exit code, part of the message.

    Cases that state no exit code end with 4: a source keeps its old state.
    """
    module, name = cases_of.split(".")
    cases = getattr(importlib.import_module(f"tests.operation.{module}"), name)
    rows = [
        (fault, str(getattr(case, "code", 4)), f"`{case.message}`" if case.message else "nothing")
        for fault, case in cases.items()
    ]
    return table(("fault", "exit code", "what is reported"), rows)


def _exit_code(kind: type[errors.BibldError]) -> str:
    return "–" if issubclass(kind, errors.RecordError) else str(kind.exit_code)


def _branches(kind: type, known: Sequence[type], indent: str = "") -> Iterator[str]:
    below = [other for other in known if other.__base__ is kind]
    for other in below:
        is_last = other is below[-1]
        yield f"{indent}{'└' if is_last else '├'} {other.__name__}"
        yield from _branches(other, known, indent + ("  " if is_last else "│ "))


# -- the public API --------------------------------------------------------------------------------------------------

API = {
    "records": (
        "read",
        "to_mods",
        "Record",
        "Reject",
        "RejectWarning",
        "Converter",
        "Conversion",
        "to_xml",
        "from_xml",
    ),
    "matching": (
        "find_duplicates",
        "MethodOptions",
        "Progress",
        "DuplicateClusters",
        "RecordCluster",
        "merge",
        "MergedCluster",
        "to_quads",
    ),
    "workspace": (
        "Workspace",
        "Summary",
        "LoadResult",
        "Doubt",
        "HarvestResult",
        "Freshness",
        "ConvertedWorkspace",
        "Withheld",
        "FileRow",
        "RecordRow",
        "ClusterRow",
        "PairRow",
        "Stats",
        "SourceRecord",
        "RecordReport",
        "PairReport",
        "IriReport",
        "EntityPairReport",
        "FoundResults",
        "MatchedRecord",
        "Evaluation",
        "MethodComparison",
        "MethodResult",
        "check_sources",
        "SourcesReport",
        "CheckedFile",
        "CheckReport",
        "ValidationReport",
        "WorklistLine",
        "WorklistCount",
        "ShapeFinding",
        "ReportSettings",
        "Finding",
        "ReleaseSummary",
        "Verification",
        "ReleaseCheck",
    ),
    "review": ("Review", "ReviewSession", "Question", "VerdictRow", "Imported", "RELATIONS"),
    "links": ("Links", "LinkReport"),
    "enrich": ("EnrichmentReport", "RecordAddition"),
    "tables": ("Table", "query"),
    "other": ("write_sample", "list_adapters", "AdapterRow"),
    "values": ("MarcRecord", "Leader", "ControlField", "DataField", "Subfield", "Mods", "Row", "Origin", "RecordId"),
}
"""The public names by the part of the page that describes them; the errors are on a separate page."""


def public_names(part: str) -> str:
    """Return the public names of one part of the API: signature, docstring, fields, methods."""
    return "\n\n".join(_public_name(name) for name in API[part])


def _public_name(name: str) -> str:
    value = getattr(bibld, name)
    if not callable(value):
        return f"### {name}\n\n{', '.join(f'`{item}`' for item in value)}"
    sections = [f"### {name}", _signature(f"bibld.{name}", value), plain(value.__doc__)]
    if isinstance(value, type) and value.__module__.startswith("bibld."):
        own = [kind for kind in value.__mro__ if kind.__module__.startswith("bibld.")]
        members = [item for kind in own for item in vars(kind).items()]
        methods = [
            (inner, member)
            for inner, member in members
            if not inner.startswith("_") and (inspect.isfunction(member) or isinstance(member, classmethod))
        ]
        properties = [
            f"- `{inner}`: {plain(member.__doc__ or '').rstrip('.')}"
            for inner, member in members
            if isinstance(member, property | cached_property) and not inner.startswith("_")
        ]
        sections += ["\n".join(properties)] if properties else []
        for inner, member in methods:
            function = member.__func__ if isinstance(member, classmethod) else member
            sections += [_signature(f"{name}.{inner}", function, drops_first=True), plain(function.__doc__)]
    return "\n\n".join(section for section in sections if section)


def _signature(name: str, value: Any, drops_first: bool = False) -> str:  # noqa: ANN401
    """Return a call as a block of code, one parameter a line where one line is too short."""
    if isinstance(value, type) and issubclass(value, Warning):
        return ""
    signature = inspect.signature(value)
    parameters = list(signature.parameters.values())[drops_first:]
    if name in ("bibld.Mods",):
        return ""
    words = [_parameter(one) for one in parameters]
    keywords = [number for number, one in enumerate(parameters) if one.kind is inspect.Parameter.KEYWORD_ONLY]
    if keywords and parameters[keywords[0] - 1].kind is not inspect.Parameter.VAR_POSITIONAL:
        words.insert(keywords[0], "*")
    gives = signature.return_annotation
    arrow = "" if gives in (inspect.Signature.empty, None, "None") else f" -> {_type(gives)}"
    line = f"{name}({', '.join(words)}){arrow}"
    if len(line) > _WIDTH:
        line = "\n".join([f"{name}(", *(f"    {word}," for word in words), f"){arrow}"])
    return f"```text\n{line}\n```"


def _parameter(one: inspect.Parameter) -> str:
    type_ = "" if one.annotation is inspect.Parameter.empty else f": {_type(one.annotation)}"
    if one.default is inspect.Parameter.empty:
        star = "*" if one.kind is inspect.Parameter.VAR_POSITIONAL else ""
        return f"{star}{one.name}{type_}"
    default = repr(one.default)
    shown = "…" if " object at " in default or len(default) > _WIDTH // 2 else default
    return f"{one.name}{type_} = {shown}"


def _type(annotation: Any) -> str:  # noqa: ANN401
    text = annotation if isinstance(annotation, str) else inspect.formatannotation(annotation)
    text = re.sub(r"\b(?:\w+\.)+(\w+)", r"\1", text)
    text = re.sub(r"\bRejects\b", "list[Reject] | Callable[[Reject], object]", text)
    return text.replace("PathName", "str | PathLike").replace("ConfiguredWorkspace", "Workspace")


# -- crosswalks ------------------------------------------------------------------------------------------------------


def rules(flavour: str) -> str:
    """Return what a crosswalk does with each tag: which subfields are read, which MODS is written."""
    entries = sorted(
        (tag != "LDR", tag, position, _codes(codes), rule.writes, plain(rule.build.__doc__))
        for position, rule in enumerate(rules_of(flavour).rules)
        for tag, codes in dict(rule.reads).items()
    )
    rows = []
    for description, group in groupby(entries, key=lambda entry: entry[3:]):
        tags = " ".join(dict.fromkeys(entry[1] for entry in group))
        codes, writes, about = description
        rows.append((tags, codes, _cell(writes), _cell(about.split("\n\n")[0])))
    return table(("tag", "subfields", "MODS", "what"), rows)


def writers(flavour: str) -> str:
    """Return which fields of MARC the crosswalk back writes of each element of MODS."""
    rows = [
        (_cell(reads), _cell(fields))
        for writer in writers_of(flavour)  # type: ignore[arg-type]
        for reads, fields in writer.fields.items()
    ]
    return table(("MODS", "fields"), rows)


def _codes(codes: str) -> str:
    return {"": "–", "*": "all"}.get(codes) or f"`{codes}`"


def _cell(text: str) -> str:
    return text.replace("<", "&lt;").replace("*", "\\*")


def private(flavour: str) -> str:
    """Return the subfields that a crosswalk does not publish."""
    rows = [(tag, _codes("".join(sorted(codes)))) for tag, codes in sorted(rules_of(flavour).private.items())]
    groups = groupby(rows, key=lambda entry: entry[1])
    return table(("tag", "subfields"), [(" ".join(tag for tag, _ in group), codes) for codes, group in groups])


# -- IRIs, queries, forms --------------------------------------------------------------------------------------------


def iri_table(base: str = _BASE) -> str:
    """Every kind of IRI with an example."""
    iris = Iris(base)
    one, other = RecordId("rsl", "01003120729"), RecordId("nlr", "RU\\NLR\\bibl\\204591")
    examples: list[tuple[str, str]] = [
        ("resource", iris.resource(other)),
        ("document", iris.document(iris.resource(other))),
        ("record", iris.record(other)),
        ("agent", iris.agent("viaf-96987389")),
        ("concept", iris.concept("rubbk", "Р1")),
        ("scheme", iris.scheme("rubbk")),
        ("work", iris.work("lcnaf-n80126289")),
        ("place", iris.place("moskva-0123456789")),
        ("publisher", iris.publisher("nauka-0123456789")),
        ("series", iris.series("literaturnye-pamiatniki-0123456789")),
        ("match", iris.match(Pair.from_records(one, other))),
        ("source", iris.source("rsl")),
        ("graph", iris.graph("provenance")),
        ("term", iris.term("Match")),
        ("ontology", iris.ontology),
        ("dataset", iris.dataset),
    ]
    rows = []
    for name, example in examples:
        member = inspect.getattr_static(Iris, name)
        description = plain(member.__doc__).split(";")[0].rstrip(".")
        description = re.sub("^(Return t|T)he IRI of (an? |the )?", "", description)
        rows.append((description[0].upper() + description[1:], f"`{example}`"))
    return table(("IRI of", "example"), rows)


_SUBJECTS_OF_QUERIES = {
    "by-isbn": "Find publications",
    "works-of-a-person": "People and organisations",
    "by-subject": "Subjects and places",
    "series": "Series, sets and periodicals",
    "holdings": "Libraries, holdings and sources",
    "as-bnb-isbn": "Queries of other libraries",
}
"""The first example query about each subject, without its number."""


def queries() -> str:
    """Return the example queries that are part of bibld, by subject."""
    lines = []
    for query in example_queries(Iris(_BASE)):
        subject = _SUBJECTS_OF_QUERIES.get(query.name.partition("-")[2])
        if subject:
            lines.append(f"\n### {subject}\n")
        lines.append(f"- [{query.title}](../../ontology/queries/{query.name}.rq): {query.description}")
    return "\n".join(lines).strip("\n")


def forms() -> str:
    """Return the forms of documents and their media types."""
    return table(("suffix", "media type"), [(f"`.{suffix}`", f"`{kind}`") for suffix, kind in MEDIA_TYPES.items()])


def json_keys() -> str:
    """Return the keys of the JSON of a document, their properties and the kind of their values."""
    rows = [(f"`{key}`", f"`{curie}`", kind) for key, (curie, kind) in JSON_KEYS.items()]
    return table(("key", "property", "values"), rows)


PARTS: dict[str, Callable[..., str]] = {
    "settings": settings,
    "faults": faults,
    "docstring": stage_docstring,
    "adapters": adapters_of,
    "keys": adapter_keys,
    "commands": commands,
    "errors": error_tree,
    "rules": rules,
    "private": private,
    "writers": writers,
    "api": public_names,
    "iris": iri_table,
    "queries": queries,
    "forms": forms,
    "json_keys": json_keys,
    "own-terms": vocabularies.own_terms,
    "other-terms": vocabularies.other_terms,
    "shape-conditions": vocabularies.shape_conditions,
    "triples": vocabularies.triples,
    "triples-coverage": vocabularies.triples_coverage,
    "triples-attributes": vocabularies.triples_attributes,
    "triples-none": vocabularies.triples_none,
}


def rewritten(page: str) -> str:
    """Return a page with all its generated parts written again; raises ``KeyError`` for a part of an unknown name."""

    def written(part: re.Match[str]) -> str:
        begin, name, argument, end = part.groups()
        return f"{begin}\n{PARTS[name](*([argument] if argument else []))}\n\n{end}"

    return _PART.sub(written, page)


def completed(page: str) -> str:
    """Return a page with its long parts, too."""
    return _LONG_PART.sub(lambda part: PARTS[part[1]](*([part[2]] if part[2] else [])), page)


def write_complete(folder: Path) -> None:
    """Write all pages with their long parts, and what they show, into a folder."""
    shutil.copytree(DOCS, folder, ignore=shutil.ignore_patterns("*.py", "__pycache__", "*.md"), dirs_exist_ok=True)
    for path in sorted(DOCS.rglob("*.md")):
        target = folder / path.relative_to(DOCS)
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_text(completed(path.read_text(encoding="utf-8")), encoding="utf-8")


def mods_schema() -> bytes:
    """Return the JSON Schema of a description, as `bibld crosswalk --to json` writes it."""
    schema = {"$schema": "https://json-schema.org/draft/2020-12/schema", **msgspec.json.schema(Mods)}
    return msgspec.json.format(msgspec.json.encode(schema), indent=2) + b"\n"


def execute_notebook(path: Path) -> Any:  # noqa: ANN401
    """Execute a notebook in a temporary folder, and return it with its outputs; needs nbclient and ipykernel."""
    import nbformat
    from nbclient import NotebookClient

    notebook = nbformat.read(path, as_version=4)  # type: ignore[no-untyped-call]
    with tempfile.TemporaryDirectory() as folder:
        NotebookClient(notebook, timeout=600, resources={"metadata": {"path": folder}}).execute()
    for cell in notebook.cells:
        cell.metadata.pop("execution", None)  # the times
    notebook.metadata["language_info"] = {"name": "python"}
    return notebook


def write_notebooks() -> None:
    """Execute every notebook and store its outputs."""
    import nbformat

    for path in sorted(DOCS.rglob("*.ipynb")):
        nbformat.write(execute_notebook(path), path)  # type: ignore[no-untyped-call]
        click.echo(f"{path.relative_to(DOCS)}: executed")


@click.command()
@click.option("--check", is_flag=True, help="Write nothing; exit with 1 when a page would change.")
@click.option(
    "--examples",
    "dump",
    type=click.Path(exists=True, dir_okay=False, path_type=Path),
    help="Take the examples of terms from this dump of the sample, bibld.nq.gz.",
)
@click.option("--notebooks", is_flag=True, help="Execute the notebooks too, and store their outputs.")
@click.option("--out", type=click.Path(path_type=Path), help="Write the complete pages into this folder, too.")
def main(check: bool, dump: Path | None, notebooks: bool, out: Path | None) -> None:
    """Write the generated parts of the documentation again."""
    if dump is not None:
        vocabularies.write_examples(dump)
    stale = []
    for path in sorted(DOCS.rglob("*.md")):
        text = path.read_text(encoding="utf-8")
        new = rewritten(text)
        if new != text:
            stale.append(path.relative_to(DOCS).as_posix())
            if not check:
                path.write_text(new, encoding="utf-8")
    schema = DOCS / "reference" / "mods.schema.json"
    if not schema.is_file() or schema.read_bytes() != mods_schema():
        stale.append(schema.relative_to(DOCS).as_posix())
        if not check:
            schema.parent.mkdir(exist_ok=True)
            schema.write_bytes(mods_schema())
    if notebooks:
        write_notebooks()
    if out is not None:
        write_complete(out)
    for name in stale:
        click.echo(f"{name}: {'is out of date; run python docs/generate.py' if check else 'written'}")
    sys.exit(1 if check and stale else 0)


if __name__ == "__main__":
    main()

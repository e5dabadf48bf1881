"""``bibld check``, ``stats``, ``explain``, ``query``, ``validate`` and ``export``: commands that change nothing."""

from __future__ import annotations

import shlex
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any, get_args

import click
import msgspec

import bibld
from bibld import progress
from bibld.cli import Group
from bibld.cli._language import echo, terminal
from bibld.cli._options import (
    config_argument,
    count_of,
    file_options,
    json_option,
    opened,
    print_findings,
    print_json,
    print_rows,
    print_table,
    printable,
    quiet_option,
    show,
)
from bibld.cli.run import KEPT_OLD_STATE, STAGE_FAILED
from bibld.dedup.side_by_side import ComparedValue
from bibld.model.linkage import Decision, Feature

if TYPE_CHECKING:
    from bibld.validate import Severity, ShapeFinding, ValidationReport


@click.command()
@config_argument
@json_option
@quiet_option
def check(config: Path, as_json: bool, quiet: bool) -> None:
    """Check CONFIG, its sources and its workspace without changing anything.

    Faults of the configuration are reported all at once, with file, line and what is allowed (exit code 2). Then the
    files of the sources are read as a run reads them, and their first records are converted: a source in doubt
    (missing, empty, cut off, damaged, no catalogue) is reported with exit code 4, as by a run. Servers are asked who
    they are, and one that does not answer is such a source too. Exit code 1: a run could not write.
    """
    with progress.display(quiet=quiet, words=terminal()) as display:
        report = bibld.check_sources(config, progress=display)
    if as_json:
        print_json(report)
    else:
        print_rows(report.files, "source", "file", "bytes", "carrier", "charset", "flavour", "records")
        for text in report.servers:
            echo(text)
    print_findings(report.findings, err=True)
    if report.faults or report.doubts:
        sys.exit(STAGE_FAILED if report.faults else KEPT_OLD_STATE)
    if not as_json:
        echo(f"{config}: configuration is valid")


_SUBFIELDS_SHOWN = 40


@click.command()
@config_argument
@click.option(
    "--all", "all_subfields", is_flag=True, help=f"List every unmapped subfield, not only the first {_SUBFIELDS_SHOWN}."
)
@click.option(
    "--triples",
    is_flag=True,
    help="Report instead which triples the elements of MODS make, and which make none and why.",
)
@click.option(
    "--limit",
    type=click.IntRange(1),
    default=200,
    show_default=True,
    help="Publications that --triples looks at, evenly distributed over the catalog.",
)
@json_option
def stats(config: Path, all_subfields: bool, triples: bool, limit: int, as_json: bool) -> None:
    """Report what the catalog contains.

    For each source: records, freshness if it is fetched from a server, and charsets; then the suppressions, and the
    subfields that are not in the MODS.
    """
    if triples:
        _report_triples(bibld.Workspace(config), limit, as_json)
        return
    found = bibld.Workspace(config).stats()
    if as_json:
        print_json(found)
        return
    print_rows(found.sources, "source", "read", "converted", "superseded", "rejected", "deleted")
    if found.freshness:
        echo("\nHarvests from servers")
        print_rows(
            found.freshness,
            "source",
            "outcome",
            "complete",
            "attempt",
            "newest",
            "records",
            "days_silent",
            "usual_days",
        )
        for one in found.freshness:
            if one.is_silent:
                echo(f"warning: {one.source}: nothing new for {one.days_silent:g} days", err=True)
    click.echo()
    print_table(("source", "file", "carrier", "declared", "found"), found.files)
    if found.suppressed:
        echo("\nSuppressed: stored, not published")
        print_table(("record", "what and why"), [(str(one.record), str(one)) for one in found.suppressed])
    if found.coverage:
        echo("\nSubfields that are not in the MODS (private: stored, not published)")
        shown = found.coverage if all_subfields else found.coverage[:_SUBFIELDS_SHOWN]
        print_table(("flavour", "subfield", "fate", "times"), shown)
        if len(shown) < len(found.coverage):
            echo(f"… and {len(found.coverage) - len(shown)} more: add --all", err=True)


def _report_triples(workspace: bibld.Workspace, limit: int, as_json: bool) -> None:
    """Print what became of each element of MODS."""
    found = workspace.triples_coverage(limit)
    if as_json:
        print_json(found)
        return
    rows = [
        (row.name, row.seen, row.published, "; ".join(row.triples) or f"none: {row.reason or 'no reason is known'}")
        for row in found
    ]
    print_table(("MODS", "seen", "published", "triples"), rows)


@click.command()
@config_argument
@click.argument("record")
@click.argument("other", required=False)
@json_option
def explain(config: Path, record: str, other: str | None, as_json: bool) -> None:
    """Explain what became of RECORD, or why RECORD and OTHER are, or are not, the same publication, work or agent.

    A record is named as source:control-number (rsl:01004039769), by its control number if that is unique, or by one of
    its IRIs. RECORD may also be any other IRI of the dataset, in full or from its path on (match/…, agent/…, doc/…):
    then the report is what it is, what a request for it gets, and its history. Two IRIs of works, agents or other
    entities are compared with each other: what they have in common, what contradicts, and whether they are one.
    """
    report = bibld.Workspace(config).explain(record, other)
    show(report, as_json, lambda: _print(report))


def _print(report: Any) -> None:  # noqa: ANN401
    for name, value in msgspec.structs.asdict(report).items():
        if isinstance(value, msgspec.Struct):
            click.echo()
            _print(value)
        elif value is not None:
            _line(name.replace("_", " "), value)


def _line(report_name: str, value: object) -> None:
    words = terminal()
    name = words.word("report", report_name)
    if isinstance(value, tuple) and value:
        click.echo(f"{name}:")
        for item in value:
            click.echo(f"  {printable(_item(item))}")
        return
    if isinstance(value, float):
        value = words.number(value, "")
    elif value in ("", ()):
        value = words.word("report", "none")
    elif isinstance(value, bool):
        value = words.word("report", "yes" if value else "no")
    elif isinstance(value, str):
        known = words.cell(report_name, value)
        value = printable(words.text(value) if known == value else known)
    click.echo(f"{name}: {value}")


def _item(item: object) -> str:
    """Return an item of a list in the language of the terminal."""
    words = terminal()
    if isinstance(item, Feature):
        known = words.word("explanation", "missing") if item.value < 0 else words.number(item.value, ".3f")
        added = f", {words.word('explanation', 'adds')} {words.number(item.contribution, '+.3f')}"
        return f"{words.code('feature', item.name)} {known}{added if item.contribution else ''}"
    if isinstance(item, ComparedValue):
        name, meaning = words.word("feature", item.name), words.word("card", item.in_words())
        return f"{item.sign} {name} ({meaning}): {item.left or '–'} | {item.right or '–'}"
    return words.text(str(item))


@click.command()
@config_argument
@click.argument("sparql")
@json_option
def query(config: Path, sparql: str, as_json: bool) -> None:
    """Answer a SPARQL query from the current release of CONFIG.

    SPARQL is the query, or @FILE for a file that contains it.
    """
    if sparql.startswith("@"):
        file = Path(sparql[1:])
        try:
            sparql = file.read_text(encoding="utf-8")
        except FileNotFoundError:
            raise bibld.ConfigError([f"{file}: not found; name a file that contains the query after @"]) from None
        except OSError as error:
            raise bibld.ConfigError([f"{file}: cannot be read: {error.strerror}"]) from error
        except UnicodeDecodeError as error:
            raise bibld.ConfigError([f"{file}: is not UTF-8; save the file as UTF-8"]) from error
    elif Path(sparql).suffix in (".rq", ".sparql"):
        raise bibld.ConfigError([f"{sparql}: is not a query; write @ before the name of a file"])
    rows = bibld.Workspace(config).query(sparql)
    if as_json:
        print_json(rows.to_dicts())
        return
    cells = [[_cell(cell) for cell in row.values()] for row in rows.to_dicts()]
    print_table(rows.columns, cells, is_data=True)


@click.command()
@config_argument
@click.argument("words", nargs=-1, required=True)
@click.option("--limit", type=click.IntRange(1, 1000), default=20, show_default=True, help="Results that are printed.")
@click.option("--no-fold", is_flag=True, help="Each publication is a result; by default all of one work are one.")
@json_option
def search(config: Path, words: tuple[str, ...], limit: int, no_fold: bool, as_json: bool) -> None:
    """Search the current release of CONFIG as its site does.

    Of each work its title and creators, years, and the number of publications are printed, then its publications. The
    JSON is described with the search of the site.
    """
    found = bibld.Workspace(config).search(" ".join(words), limit=limit, fold=not no_fold)
    if as_json:
        print_json(found)
        return
    if found.searched:
        echo(f"nothing was found for these words; results for: {found.searched}", err=True)
    counted = [count_of(found.works, "work")] if found.works is not None else []
    echo(", ".join([*counted, count_of(found.total, "publication")]), err=True)
    rows: list[tuple[str, str, str, str]] = []
    for result in found.results:
        work = result.group
        if work is None:
            agents = "; ".join(agent.name for agent in result.agents)
            rows.append((result.year, result.title, agents, " ".join(result.libraries)))
            continue
        creators = "; ".join(agent.name for agent in work.creators)
        count = count_of(work.total, "publication")
        rows.append(("–".join(map(str, work.years)), f"{work.title} ({count})", creators, " ".join(work.libraries)))
        for each in work.publications:
            rows.append((f"  {each.year}", f"  {each.title}", f"  {each.imprint}", " ".join(each.libraries)))
    print_table(("year", "title", "agents, imprint", "libraries"), rows, fits_terminal=True)


def _cell(value: str | float | bool | None) -> str | float:
    """Return a value as a table shows it: booleans as SPARQL writes them, nothing for an unbound variable."""
    if isinstance(value, bool):
        return "true" if value else "false"
    if value is None:
        return ""
    return printable(value) if isinstance(value, str) else value


_VIOLATIONS = 1
_FILE = click.Path(path_type=Path, dir_okay=False)


@click.command()
@config_argument
@click.option(
    "--report",
    type=_FILE,
    help="Write the results into this file, as sh:ValidationReport (N-Triples, which is Turtle).",
)
@click.option("--shapes", type=_FILE, help="Check against the shapes (SHACL, Turtle) in this file instead of bibld's.")
@click.option(
    "--severity",
    type=click.Choice(["violation", "warning", "info"]),
    default="info",
    show_default=True,
    help="Leave out results that are less severe than this.",
)
@click.option(
    "--limit",
    type=click.IntRange(min=0),
    default=1000,
    show_default=True,
    help="Results of each constraint that are written into the report; all are counted. 0: all.",
)
@quiet_option
@json_option
def validate(
    config: Path, report: Path | None, shapes: Path | None, severity: Severity, limit: int, quiet: bool, as_json: bool
) -> None:
    """Check all statements of CONFIG against the shapes of the ontology (SHACL).

    Prints, for each constraint that is not fulfilled, the number of results, what they mean, and three examples. The
    exit code is 1 if anything has the severity violation; warnings and infos do not change it.
    """
    from bibld.validate import ReportSettings

    with opened(config, quiet=quiet) as workspace:
        found = workspace.validate(shapes, ReportSettings(report, severity, limit))
    show(found, as_json, lambda: _print_report(found, config))
    if not found.conforms:
        sys.exit(_VIOLATIONS)


def _print_report(report: ValidationReport, config: Path) -> None:
    columns = ("shape", "nodes", "violations", "warnings", "infos")
    rows = [(each.shape, each.nodes, each.violations, each.warnings, each.infos) for each in report.shapes]
    print_table(columns, rows)
    for finding in report.findings:
        click.echo()
        _print_finding(finding)
    click.echo()
    numbers = (report.count("violation"), report.count("warning"), report.count("info"))
    nouns = ("violation", "warning", "info")
    counts = [count_of(number, noun) for number, noun in zip(numbers, nouns, strict=True) if number]
    echo(f"{count_of(report.statements, 'statement')}, {', '.join(counts) or 'no violations'}")
    if report.findings:
        echo(f"`bibld explain {shlex.quote(str(config))} IRI` shows what a description is made from", err=True)


def _print_finding(finding: ShapeFinding) -> None:
    where = f"{finding.shape}, {finding.path}" if finding.path else finding.shape
    echo(f"{finding.severity}: {where}: {count_of(finding.count, 'result')} of {finding.component}")
    echo(f"  {printable(finding.meaning)}")
    for example in finding.examples:
        value = "" if example.value is None else f"  {printable(example.value)}"
        click.echo(f"    {printable(example.focus)}{value}")
    if finding.count > len(finding.examples):
        echo(f"    … and {finding.count - len(finding.examples):,} more")


@click.group(cls=Group)
def export() -> None:
    """Write clusters, scored pairs or works as a table: CSV, Excel, JSON Lines, or Parquet for DuckDB and pandas."""


@export.command()
@config_argument
@file_options
@click.option("--min-size", type=click.IntRange(min=1), default=2, show_default=True, help="1: also single records.")
def clusters(config: Path, form: Any, out: Path | None, min_size: int) -> None:  # noqa: ANN401
    """Write the records of each cluster: cluster, record, source, size of the cluster, title.

    A cluster is named by its first record, as in its IRI.
    """
    bibld.Workspace(config).export_clusters(out or sys.stdout, form, min_size=min_size)


@export.command()
@config_argument
@file_options
@click.option("--decision", type=click.Choice(get_args(Decision)), help="Only pairs with this decision.")
def pairs(config: Path, form: Any, out: Path | None, decision: Any) -> None:  # noqa: ANN401
    """Write the scored pairs: both records, score, decision, the rule or person that decided, relation, reasons, keys.

    Pairs that matching finds different are not stored, and so not written.
    """
    bibld.Workspace(config).export_pairs(out or sys.stdout, form, decision=decision)


@export.command()
@config_argument
@file_options
@click.option(
    "--min-publications",
    type=click.IntRange(min=0),
    default=1,
    show_default=True,
    help="0: also works that are only named, such as originals that no library has.",
)
def works(config: Path, form: Any, out: Path | None, min_publications: int) -> None:  # noqa: ANN401
    r"""Write the works, a row for each: IRI, title, creators, languages, and what is known of its publications.

    Of a translation also title, languages and IRI of the original; of a volume or issue the IRI of the whole. The
    publications of a translation count as its own, not as those of the original: join `translation_of` with `work` to
    add them. `libraries` are the sources whose records describe a publication of the work.

    \b
    bibld export works bibld.toml --min-publications 2
    bibld export works bibld.toml --out works.parquet
    duckdb -c "select title, publications from 'works.parquet' order by publications desc limit 20"
    """
    bibld.Workspace(config).export_works(out or sys.stdout, form, min_publications=min_publications)

"""``bibld link``: links to authority files."""

from __future__ import annotations

import shlex
from pathlib import Path
from typing import TYPE_CHECKING

import click

import bibld
from bibld.cli._language import echo
from bibld.cli._options import (
    config_argument,
    count_of,
    json_option,
    opened,
    print_json,
    print_table,
    printable,
    quiet_option,
    show,
)
from bibld.cli.review import person_option, reason_option

if TYPE_CHECKING:
    from bibld.catalog import StoredLink

_PAIR = "ENTITY IRI"


@click.command()
@config_argument
@click.option(
    "--authority",
    "files",
    multiple=True,
    type=click.Path(path_type=Path),
    help="An authority file: N-Triples, Turtle, MARC authority records or CSV; also .gz and .zst. May be repeated.",
)
@click.option("--name", default="", help="A name for the file; its file name by default.")
@click.option("--iri", "template", default="", help="Makes IRIs of ids that are none: https://example.org/{}.")
@click.option(
    "--threshold", type=click.FloatRange(0, 1), default=0.95, show_default=True, help="Links from here are published."
)
@click.option(
    "--review",
    "review_from",
    type=click.FloatRange(0, 1),
    default=0.5,
    show_default=True,
    help="Links from here wait for a person.",
)
@click.option("--limit", type=click.IntRange(min=1), help="Link at most this many entities now.")
@click.option("--dry-run", is_flag=True, help="Report what would be linked; store no link.")
@click.option("--remove", metavar="NAME", help="Remove an authority file and its links.")
@click.option("--list", "status", type=click.Choice(["accepted", "review", "disagreement"]), help="List links.")
@click.option("--report", type=click.Path(path_type=Path), help="Write the uncertain links into a new CSV file.")
@click.option("--csv", "table", type=click.Path(path_type=Path), help="Take the verdicts of such a file.")
@click.option("--accept", nargs=2, metavar=_PAIR, help="Accept a link from an entity to an authority record.")
@click.option("--reject", nargs=2, metavar=_PAIR, help="Reject a link.")
@click.option("--withdraw", nargs=2, metavar=_PAIR, help="Withdraw the verdict about a link.")
@person_option
@reason_option
@json_option
@quiet_option
def link(
    config: Path,
    files: tuple[Path, ...],
    name: str,
    template: str,
    threshold: float,
    review_from: float,
    limit: int | None,
    dry_run: bool,
    remove: str | None,
    status: str | None,
    report: Path | None,
    table: Path | None,
    accept: tuple[str, str] | None,
    reject: tuple[str, str] | None,
    withdraw: tuple[str, str] | None,
    person: str | None,
    reason: str,
    as_json: bool,
    quiet: bool,
) -> None:
    """Link the persons, organisations, places and concepts of CONFIG to the records of authority files.

    A file that was added stays: later runs link what changed, and a newer file of the same name replaces it. An entity
    whose records state a number of the authority is not linked; if another record fits better, that is a disagreement.
    Without --authority, only what changed is linked.

    A link is published if its confidence reaches the threshold. Others wait for a person: --report writes them into a
    CSV file, --csv reads the column "decision" (accepted or rejected) back. Verdicts hold in all later runs.
    """
    chosen = [bool(one) for one in (files, remove, status, report, table, accept, reject, withdraw)]
    if sum(chosen) > 1:
        raise click.UsageError(
            "--authority, --remove, --list, --report, --csv, --accept, --reject and --withdraw exclude each other"
        )
    with opened(config, quiet=quiet) as workspace:
        links = workspace.links
        decisions = {"accepted": accept, "rejected": reject, "withdrawn": withdraw}
        decided = next(((decision, pair) for decision, pair in decisions.items() if pair), None)
        if decided is not None:
            new = links.decide(*decided[1], decided[0], reason=reason, person=person)
            _print_verdicts(int(new), workspace.run_command, as_json)
        elif table is not None:
            _print_verdicts(links.import_csv(table, person), workspace.run_command, as_json)
        elif status is not None:
            _print_links(links, status, limit, as_json)
        elif report is not None:
            count = links.export_csv(report)
            echo(f"{count_of(count, 'uncertain link')} in {report}: fill in the column decision, then run", err=True)
            echo(f"  bibld link {shlex.quote(str(config))} --csv {shlex.quote(str(report))}", err=True)
        else:
            done = (
                links.remove(remove)
                if remove
                else links.update(
                    files,
                    template=template,
                    name=name,
                    threshold=threshold,
                    review=review_from,
                    limit=limit,
                    dry_run=dry_run,
                )
            )
            show(done, as_json, lambda: _print_report(done, config, workspace.run_command))


def _print_verdicts(new: int, run_command: str, as_json: bool) -> None:
    text = f"{count_of(new, 'new verdict')}. The next `{run_command}` publishes this."
    show({"new": new}, as_json, lambda: echo(text))


def _print_links(links: bibld.Links, status: str, limit: int | None, as_json: bool) -> None:
    found: bibld.Table[StoredLink] = links.table(status, limit)  # type: ignore[arg-type]
    if as_json:
        print_json(found)
        return
    for one in found:
        click.echo(f"{one.confidence:.3f}  {printable(one.label)}  {one.entity}")
        click.echo(f"       {printable(one.heading)}  {one.target}")
        echo(f"       {printable('; '.join(one.evidence))}")
    if not found:
        echo(f"no link has the status {status}", err=True)


def _print_report(done: bibld.LinkReport, config: Path, run_command: str) -> None:
    for file in done.files:
        echo(
            f"{file.name}: {count_of(file.records, 'authority record')}, links from a confidence of {file.threshold:g}"
        )
    if done.unusable:
        echo(f"{count_of(done.unusable, 'record')} of the file cannot be used", err=True)
    echo(f"{count_of(done.entities, 'entity', 'entities')} compared")
    if done.counts:
        click.echo()
        print_table(
            ("links to", "predicate", "status", "number"),
            [(one.link_set, one.predicate, one.status, one.links) for one in done.counts],
        )
    if done.numbered:
        echo(
            f"\n{count_of(done.numbered, 'entity has', 'entities have')} a number of the authority already;"
            f" linking would have found it for {done.confirmed}"
        )
    if done.waiting:
        echo(f"{count_of(done.waiting, 'entity waits', 'entities wait')} for the next run")
    if not done.is_stored:
        echo("nothing was stored (--dry-run)")
        return
    if any(one.status != "accepted" for one in done.counts):
        echo(f"uncertain links: `bibld link {shlex.quote(str(config))} --report FILE.csv`")
    echo(f"The next `{run_command}` publishes the links.")

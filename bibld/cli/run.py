"""``bibld run``, and ``bibld dedup``, ``merge``, ``triplify``, ``store`` and ``publish``: the run up to one stage."""

from __future__ import annotations

import shlex
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import redirect_stdout
from functools import wraps
from io import StringIO
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

import bibld
from bibld.cli._language import echo, terminal
from bibld.cli._options import (
    config_argument,
    count_of,
    json_option,
    keep_tables_option,
    opened,
    print_json,
    print_rows,
    print_table,
    quiet_option,
    show,
)
from bibld.errors import BibldError, ConfigError
from bibld.progress import in_words

if TYPE_CHECKING:
    from bibld.store import Delivered

STAGE_FAILED = 1
TOO_MANY_REJECTS = 3
KEPT_OLD_STATE = 4
INTERRUPTED = 130

Fault = tuple[int, str]
"""An exit code, and the message that explains it."""

_HELP = {
    "dedup": "Find the records that describe the same publication, and group them in clusters.",
    "merge": "Merge the records of each cluster into one description that keeps the source of every value.",
    "triplify": "Turn merged descriptions into quads.",
    "store": "Load the quads into the triple store.",
    "publish": "Make a release of dumps, dataset description and store.",
}


_RUN_OPTIONS = (
    click.option("--restat", is_flag=True, help="Recount the word frequencies and oversized keys of blocking."),
    click.option(
        "--rebuild",
        is_flag=True,
        help="Rebuild every stage after reading, as if nothing else were stored. What is published stays the same.",
    ),
    click.option(
        "--allow-deletes",
        is_flag=True,
        help="Delete what is missing from the sources even if it is more than they may lose in one run.",
    ),
    json_option,
    quiet_option,
    click.option("--verbose", "-v", is_flag=True, help="Show details too."),
    click.option(
        "--log",
        type=click.Path(path_type=Path, dir_okay=False),
        help="Append progress and warnings to this file, each line with its time.",
    ),
    click.option(
        "--log-format", type=click.Choice(["text", "json"]), default="text", show_default=True, help="Format of --log."
    ),
)


def _run_options(command: Callable[..., None]) -> Callable[..., None]:
    """Add the options of all commands that run; those about the display reach the command as ``display``."""

    @wraps(command)
    def wrapped(**options: Any) -> None:  # noqa: ANN401
        display = {name: options.pop(name) for name in ("quiet", "verbose", "log", "log_format")}
        command(display=display, **options)

    for option in reversed(_RUN_OPTIONS):
        wrapped = option(wrapped)
    return wrapped


@click.command()
@config_argument
@click.option(
    "--max-rejects",
    type=click.FloatRange(0, 100),
    help="Exit with code 3 when more than this percentage of the records of a source is rejected.  [default: the key"
    " max_rejects of the source, or 100]",
)
@click.option(
    "--engine",
    type=click.Choice(["local", "spark"]),
    help="Run on this machine, or on Apache Spark.  [default: the key name of the table engine, or local]",
)
@_run_options
def run(config: Path, max_rejects: float | None, engine: str | None, as_json: bool, **options: Any) -> None:  # noqa: ANN401
    """Run all stages: read the sources of CONFIG, match, merge, and publish a release.

    What did not change since the last run is not done again; a run that was interrupted is resumed. The summary lists
    the records of each source, the clusters, the quads and the folder of the release.
    """
    try:
        summary, faults, text = _run(config, "publish", as_json, max_rejects, engine=engine or "", **options)
    except (BibldError, MemoryError, KeyboardInterrupt) as error:
        code = error.exit_code if isinstance(error, BibldError) else STAGE_FAILED
        warnings = [note.removeprefix("warning: ") for note in getattr(error, "__notes__", ())]
        _inform(config, INTERRUPTED if isinstance(error, KeyboardInterrupt) else code, [str(error)], warnings)
        raise
    _inform(config, faults[0][0] if faults else 0, [message for _, message in faults], summary.warnings, text)
    _end(faults)


def _inform(
    config: Path, exit_code: int, messages: Sequence[str], warnings: Sequence[str] = (), summary: str = ""
) -> None:
    """Inform those whom the configuration names of the end of a run; what goes wrong with that is only a warning."""
    from bibld.cli._notify import Ending, notify
    from bibld.config import load

    try:
        loaded = load(config)
    except ConfigError:  # the run ends with it, and nobody is named
        return
    for fault in notify(loaded, Ending(exit_code, tuple(messages), summary, tuple(warnings))):
        echo(f"bibld: {fault}", err=True)


def _end(faults: Sequence[Fault]) -> None:
    """Report what makes a run end with another exit code than 0, and end with the first of these codes."""
    for _, message in faults:
        echo(f"bibld: {message}", err=True)
    if faults:
        sys.exit(faults[0][0])


def _run(
    config: Path,
    until: Any,  # noqa: ANN401
    as_json: bool,
    max_rejects: float | None = None,
    *,
    display: Mapping[str, Any],
    **options: Any,  # noqa: ANN401
) -> tuple[bibld.Summary, list[Fault], str]:
    """Run the stages and print the summary; return it, the faults that give the exit code, and its text."""
    with opened(config, **display) as workspace:
        summary = workspace.run(until, **options)
    with redirect_stdout(StringIO()) as printed:
        print_summary(summary, config)
        for warning in summary.warnings:
            echo(f"warning: {warning}")
    show(summary, as_json, lambda: click.echo(printed.getvalue(), nl=False))
    limits = {source.id: source.config.max_rejects for source in workspace.config.sources}
    faults = _faults(summary, lambda source: limits[source] if max_rejects is None else max_rejects)
    return summary, list(faults), printed.getvalue()


def _faults(summary: bibld.Summary, max_rejects: Callable[[str], float]) -> Iterator[Fault]:
    """Yield pairs of an exit code and a message, the most serious first."""
    for each in summary.deliveries:
        if each.fault:
            yield STAGE_FAILED, f"store {each.store}: {each.fault}"
    for is_loaded, state in ((False, "in doubt and not loaded"), (True, "harvest is partial, nothing was deleted")):
        names = ", ".join(dict.fromkeys(doubt.source for doubt in summary.doubts if doubt.is_loaded == is_loaded))
        if names:
            yield KEPT_OLD_STATE, f"{names}: {state}; the warnings state why, the rest is done"
    if number := len(summary.not_taken_down):
        lines = count_of(number, "line")
        yield KEPT_OLD_STATE, f"{lines} of the list of suppressions took nothing down; correct them, or remove them"
    if summary.withheld:
        names = ", ".join(withheld.source for withheld in summary.withheld)
        yield KEPT_OLD_STATE, f"{names}: deletions withheld; the warnings state why, the rest is done"
    for load in summary.sources:
        most = max_rejects(load.source)
        if load.read and 100 * load.rejected / load.read > most:
            message = f"{load.source}: {load.rejected} of {load.read} records were rejected, more than {most:g} %"
            yield TOO_MANY_REJECTS, message


def print_summary(summary: bibld.Summary, config: Path) -> None:
    """Print what a run did: records of each source, figures, seconds of each stage, the folder of the release."""
    print_rows(summary.sources, "source", "read", "converted", "superseded", "rejected", "deleted", "absent")
    for result in summary.harvests:
        echo(f"harvest {result.line}")
    for doubt in summary.doubts:
        if not doubt.is_loaded:
            echo(f"{doubt.source}: in doubt, keeps its old state")
    for withheld in summary.withheld:
        echo(f"{withheld.source}: {count_of(withheld.deletions, 'deletion')} withheld: {withheld.file}")
    changes = {name: sum(getattr(load, name) for load in summary.sources) for name in ("new", "changed", "restored")}
    changes["deleted"] = sum(load.absent + load.withdrawn for load in summary.sources)
    changed = ", ".join(f"{count:,} {name}" for name, count in changes.items() if count)
    echo(f"\nsince the last run: {changed or 'nothing changed'}")
    figures = summary.figures
    echo(
        f"{figures.records:,} records in {figures.clusters:,} clusters, {figures.merged_clusters:,} of them merged; "
        f"{figures.entities:,} entities; {figures.quads:,} quads"
    )
    if figures.deleted:
        echo(count_of(figures.deleted, "deleted record"))
    if summary.for_review:
        waiting = count_of(summary.for_review, "pair waits for review", "pairs wait for review")
        echo(f"{waiting}: `bibld review {shlex.quote(str(config))}`")
    click.echo()
    number = terminal().number
    print_table(
        ("stage", "done", "seconds", "a second"),
        [
            (
                time.stage,
                "current" if time.was_current else number(time.done),
                number(time.seconds, ".2f"),
                "" if time.was_current else number(time.done / max(time.seconds, 0.001), ",.0f"),
            )
            for time in summary.stages
        ],
    )
    echo(f"in all: {in_words(summary.seconds)}")
    if summary.release:
        is_new = summary.release_is_new
        echo(f"\nnew release: {summary.release}" if is_new else f"\nrelease is current: {summary.release}")
    for delivery in summary.deliveries:
        if not delivery.fault:
            print_delivery(delivery)
    if summary.report:
        echo(f"report: {summary.report}")
    if any(load.rejected for load in summary.sources):
        echo(f"rejects: see `bibld catalog rejects {shlex.quote(str(config))}`", err=True)


def _stage_command(stage: str) -> click.Command:
    @click.command(stage, help=f"{_HELP[stage]}\n\nStages before it are brought up to date first.")
    @config_argument
    @_run_options
    def command(config: Path, as_json: bool, **options: Any) -> None:  # noqa: ANN401
        _end(_run(config, stage, as_json, **options)[1])

    return command


@click.command(help=f"{_HELP['dedup']}\n\nStages before it are brought up to date first.")
@config_argument
@keep_tables_option
@_run_options
def dedup(config: Path, keep_tables: Path | None, as_json: bool, **options: Any) -> None:  # noqa: ANN401
    """Match the records of CONFIG."""
    _, faults, _ = _run(config, "dedup", as_json, **options)
    if keep_tables is not None:
        write_tables(config, keep_tables, options["display"]["quiet"])
    _end(faults)


def write_tables(config: Path, folder: Path, quiet: bool, **method: Any) -> None:  # noqa: ANN401
    """Write the tables of matching into a folder, and name the files on standard error."""
    with opened(config, quiet=quiet) as workspace:
        files = workspace.keep_tables(folder, **method)
    echo(f"tables: {', '.join(file.name for file in files)} in {folder}", err=True)


@click.command(
    help=f"""{_HELP["store"]}

    Stages before it are brought up to date first. With --to nothing else is run: a remote store is brought to the quads
    of the last run, by a load at first and by changes later. What was interrupted is continued.
    """
)
@config_argument
@click.option("--to", metavar="NAME|URL", help="A [[store.remote]] of CONFIG, or the address of any store.")
@click.option("--kind", default="sparql", show_default=True, help="The adapter, for an address that is not in CONFIG.")
@click.option("--user-env", default="", metavar="VARIABLE", help="Environment variable that contains the user's name.")
@click.option("--password-env", default="", metavar="VARIABLE", help="Environment variable that contains the password.")
@click.option("--replace", is_flag=True, help="Delete the quads of the dataset in the remote store; load all again.")
@click.option("--forget", is_flag=True, help="Keep no changes for the remote store any more; it is not changed.")
@_run_options
def store(
    config: Path,
    to: str | None,
    kind: str,
    user_env: str,
    password_env: str,
    replace: bool,
    forget: bool,
    as_json: bool,
    **options: Any,  # noqa: ANN401
) -> None:
    """Load the quads of CONFIG."""
    if to is None:
        if kind != "sparql" or user_env or password_env or replace or forget:
            raise click.UsageError("--kind, --user-env, --password-env, --replace and --forget need --to")
        _end(_run(config, "store", as_json, **options)[1])
        return

    with opened(config, **options["display"]) as workspace:
        if forget:
            known = workspace.forget_store(to)
            echo(f"{to}: {'no changes are kept for it any more' if known else 'was not known'}", err=True)
            return
        done = workspace.deliver(to, kind=kind, user_env=user_env, password_env=password_env, replace=replace)
    show(done, as_json, lambda: print_delivery(done))


def print_delivery(done: Delivered) -> None:
    """Print what a remote store was given, in one line."""
    changes = f"{done.loaded:,} quads loaded, {done.added:,} added, {done.removed:,} removed"
    if not (done.loaded or done.added or done.removed):
        changes = "no quads changed"
    graphs = count_of(len(done.graphs), "graph")
    echo(f"store {done.store}: {changes}; {done.quads:,} quads in {graphs}, {done.seconds:.1f} s")


@click.command(
    help=f"""{_HELP["publish"]}

    Stages before it are brought up to date first. With --verify nothing is made: the files of a release are compared
    with the sums in its manifest, the full dump and its patches with the store, the store with the description (VoID)
    and the prepared documents. The exit code is 1 if anything differs; the first difference is named. With --static the
    release is also written as files, with which any server of files can answer for the IRIs.
    """
)
@config_argument
@click.option("--verify", "is_verification", is_flag=True, help="Verify a release, and make none.")
@click.option("--release", type=click.IntRange(1), help="The release to verify; else the current one.")
@click.option(
    "--static",
    "folder",
    type=click.Path(file_okay=False, path_type=Path),
    help="Write documents, pages and dumps as files into this folder, too; an earlier site in it is replaced.",
)
@_run_options
def publish(
    config: Path,
    is_verification: bool,
    release: int | None,
    folder: Path | None,
    as_json: bool,
    *,
    display: Mapping[str, Any],
    **options: Any,  # noqa: ANN401
) -> None:
    """Make or verify a release."""
    if is_verification:
        verify(config, release, as_json, display)
        return
    if release is not None:
        raise click.UsageError("--release needs --verify")
    _, faults, _ = _run(config, "publish", as_json, display=display, **options)
    if folder is not None:
        write_static_site(config, folder, as_json, display)
    _end(faults)


def write_static_site(config: Path, folder: Path, as_json: bool, display: Mapping[str, Any]) -> None:
    """Write the current release as files, and print what was written; with JSON, that goes to standard error."""
    with opened(config, **display) as workspace:
        written = workspace.write_static_site(folder)
    echo(
        f"static site of release {written.release}: {written.documents:,} documents in {written.files:,} files,"
        f" {written.bytes:,} bytes: {written.folder}",
        err=as_json,
    )


def verify(config: Path, release: int | None, as_json: bool, display: Mapping[str, Any]) -> None:
    """Print what the verification of a release found; exit with 1 if anything differs."""
    with opened(config, **display) as workspace:
        found = workspace.verify(release)
    if as_json:
        print_json(found)
    else:
        words = terminal()
        for check in found.checks:
            name, result = (words.word("check", word) for word in (check.name, "ok" if check.is_ok else "DIFFERENT"))
            click.echo(f"{name}: {result}, {words.text(check.detail)}")
        number = found.release
        echo(f"release {number} agrees with itself" if found.is_ok else f"release {number} does not agree with itself")
    if not found.is_ok:
        sys.exit(STAGE_FAILED)


merge, triplify = (_stage_command(stage) for stage in ("merge", "triplify"))

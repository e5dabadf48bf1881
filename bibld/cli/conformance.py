"""``bibld conformance``."""

from __future__ import annotations

import sys

import click

from bibld.cli._options import json_option, print_json, print_table
from bibld.cli._terminal import printable

_FAILED = 1
_LONGEST_SEEN = 100


@click.command()
@click.argument("url", required=False)
@click.option("--resource", default="", help="IRI of a thing to dereference; if left out, an example of the VoID.")
@click.option("--deleted", default="", help="IRI of a thing that was deleted; it has to answer 410.")
@click.option("--base", default="", help="What the IRIs of the dataset begin with; if left out, its void:uriSpace.")
@click.option("--void", default="", help="Address of the description in VoID.")
@click.option("--dcat", default="", help="Address of the description in DCAT.")
@click.option("--sparql", default="", help="Address of the SPARQL endpoint; if left out, that of the VoID.")
@click.option("--oai", default="", help="Address of OAI-PMH.")
@click.option("--fragments", default="", help="Address of the Triple Pattern Fragments.")
@click.option("--reconcile", default="", help="Address of the reconciliation service.")
@click.option("--only", multiple=True, help="Run only checks with this id; * is a wildcard. May be given repeatedly.")
@click.option("--host", multiple=True, help="Also send requests to this host (host or host:port).")
@click.option("--rate", type=click.FloatRange(0.01), default=5.0, show_default=True, help="Requests a second.")
@click.option("--requests", type=click.IntRange(1), default=1000, show_default=True, help="Requests altogether.")
@click.option("--timeout", type=click.FloatRange(0.1), default=20.0, show_default=True, help="Seconds for one answer.")
@click.option("--list", "lists", is_flag=True, help="Print all checks, and send nothing.")
@json_option
def conformance(
    url: str | None,
    only: tuple[str, ...],
    host: tuple[str, ...],
    rate: float,
    requests: int,
    timeout: float,
    lists: bool,
    as_json: bool,
    **named: str,
) -> None:
    """Check the site at URL, any site of Linked Data, against the standards.

    URL is the address of the dataset, mostly what its IRIs begin with. Prints for each check the clause of the
    standard, the result (ok, fails, not applicable) and what was seen. The exit code is 1 if a check fails, or if there
    is no connection to the host. Nothing is sent to other hosts, and no request changes anything.
    """
    from bibld import conformance as library

    if lists:
        checks = library.find_checks(only)
        rows = [(check.id, check.what, check.clause) for check in checks]
        if as_json:
            print_json([{"id": name, "what": what, "clause": clause} for name, what, clause in rows])
        else:
            print_table(("id", "what", "clause"), rows)
        return
    if url is None:
        raise click.UsageError("Missing argument 'URL'.")
    found = library.check_site(
        library.Subject(url, **named), library.Politeness(rate, requests, timeout, host), only, _progress
    )
    if sys.stderr.isatty():
        click.echo("\r\x1b[K", nl=False, err=True)
    if as_json:
        print_json(found)
    else:
        cells = [(each.id, each.result, each.what, each.clause, _shortened(printable(each.seen))) for each in found]
        print_table(("id", "result", "what", "clause", "seen"), cells)
        counts = [
            f"{sum(each.result == result for each in found)} {result}" for result in ("ok", "fails", "not applicable")
        ]
        click.echo(f"\n{len(found)} checks: {', '.join(counts)}")
    if any(each.result == "fails" for each in found):
        sys.exit(_FAILED)


def _progress(finding: object) -> None:
    """Show on a terminal which check was the last one."""
    if sys.stderr.isatty():
        click.echo(f"\r\x1b[K{getattr(finding, 'id', '')}", nl=False, err=True)


def _shortened(text: str) -> str:
    return text if len(text) <= _LONGEST_SEEN else text[: _LONGEST_SEEN - 1] + "…"

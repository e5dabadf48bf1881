"""Verdicts about agents and other entities, from the command line and in Python."""

import pytest
from click.testing import CliRunner

import bibld
from bibld import config, pipeline, progress
from bibld.catalog import Catalog
from bibld.cli import command_line
from bibld.errors import BibldError
from tests.dedup.conftest import _loaded_sample, sample  # noqa: F401
from tests.end_to_end.conftest import CLOCK

BASE = "http://localhost:8000/"
ROMANISED = f"{BASE}agent/lotman-iu-m-iurii-mikhailovich-f4c538ac5d"
RUSSIAN = f"{BASE}agent/RU~5CNLR~5Cauth~5C77671715"


def described(file) -> list[str]:
    """The paths of the two scholars that have a description, after a run."""
    loaded = config.load(file)
    pipeline.run(loaded, CLOCK, progress.Silent(), until="triplify")
    with Catalog(loaded.workspace, read_only=True) as catalog:
        iris = [iri for iri in (ROMANISED, RUSSIAN) if catalog.entities.quads(catalog.entities.number(iri))]
    return [iri.removeprefix(BASE) for iri in iris]


def review(file, *words: str) -> tuple[int, str]:
    done = CliRunner().invoke(command_line, ["review", str(file), "--person", "anna", *words])
    if isinstance(done.exception, BibldError):
        return done.exception.exit_code, str(done.exception)
    return done.exit_code, done.output


def test_a_person_unites_two_entities_and_takes_it_back(sample):  # noqa: F811
    assert len(described(sample)) == 2
    code, printed = review(sample, "--entity", ROMANISED, f"{BASE}doc/agent/RU~5CNLR~5Cauth~5C77671715.html", "same")
    assert (code, "The verdict is stored." in printed) == (0, True)
    assert "nothing changed" in review(sample, "--entity", RUSSIAN, ROMANISED, "same")[1]
    assert ROMANISED in review(sample, "--verdicts")[1]
    assert described(sample) == [RUSSIAN.removeprefix(BASE)]
    taken = bibld.Workspace(sample).review.withdraw_entities(ROMANISED, RUSSIAN)
    assert (taken.decision, taken.person) == ("same", "anna")
    assert len(described(sample)) == 2


def test_what_cannot_be_decided_is_explained(sample):  # noqa: F811
    described(sample)
    assert "no verdict about these two" in review(sample, "--entity", ROMANISED, RUSSIAN, "withdraw")[1]
    assert "entity not found" in review(sample, "--entity", ROMANISED, "agent/nobody", "same")[1]
    assert "same entity" in review(sample, "--entity", ROMANISED, ROMANISED, "same")[1]
    assert "allowed are same, different" in review(sample, "--entity", ROMANISED, RUSSIAN, "perhaps")[1]
    with pytest.raises(BibldError, match="entity not found"):
        bibld.Workspace(sample).review.decide_entities(ROMANISED, "resource/rsl/1", "different")

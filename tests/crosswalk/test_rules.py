"""The public mechanism of rules: what a crosswalk of another flavour can rely on."""

from __future__ import annotations

import sys
from types import ModuleType

import msgspec
import pytest

from bibld import crosswalk
from bibld.crosswalk import EVERY, LEADER, Conventions, Linkage, LinkedField, RuleBook, RuleSet, View
from bibld.errors import CrosswalkError
from bibld.model.marc import ControlField, DataField, Leader, MarcRecord, Subfield
from bibld.model.mods import Mods, Name, NamePart, Note, TitleInfo
from bibld.model.origin import Origin
from bibld.protocols import adapters

ORIGIN = Origin("ours", "a.mrc", 7, 1024)


class Settings(msgspec.Struct, frozen=True):
    """``prefix``: put before every title."""

    prefix: str = ""


def data_field(tag, *pairs, indicator1=" "):
    return DataField(tag, indicator1, " ", tuple(Subfield(code, value) for code, value in pairs))


def marc_record(*fields):
    return MarcRecord(ORIGIN, Leader("00000nam a2200000 i 4500"), (ControlField("001", "n1"), *fields))


@pytest.fixture
def book():
    book = RuleBook()

    @book.fields("titleInfo", t900="a", t910="b")
    def title(field, view):
        for value in field.values("a", "b"):
            yield TitleInfo(title=view.settings.prefix + value)

    @book.record("note", tLDR="")
    def kind(view):
        yield Note(value=view.record.leader.text[6])

    @book.field("920 921", EVERY, "note")
    def note(field, view):
        view.warn(f"{field.tag} is doubtful")
        yield Note(value=" ".join(field.values()))

    return book


def test_rules_convert_in_their_order_and_account_for_the_rest(book):
    fields = [("910", "b", "B"), ("900", "a", "A"), ("900", "x", "?"), ("930", "a", "?"), ("110", "a", "?")]
    made = marc_record(*(data_field(tag, (code, value)) for tag, code, value in fields), data_field("921", ("q", "Q")))
    converted = RuleSet([book], structural="6").convert(View(made, Settings("= ")))
    assert [info.title for info in converted.mods.title_info] == ["= A", "= B"]
    assert [note.value for note in converted.mods.note] == ["a", "Q"]
    assert converted.unmapped == ("001", "110$a")
    assert converted.private == ("900$x", "930$a")
    assert converted.warnings == ("921 is doubtful",)


def test_a_book_contains_the_rules_of_others_and_states_what_they_read(book):
    rules = RuleBook(book, book).rules
    assert rules == (*book.rules, *book.rules)
    assert rules[0].reads == (("900", "a"), ("910", "b"))
    assert rules[1].reads == ((LEADER, ""),)


def test_a_rule_must_read_something():
    with pytest.raises(ValueError, match="state the tags"):
        RuleBook().record("note")(lambda view: ())


def test_private_subfields_win_over_rules(book):
    made = marc_record(data_field("920", ("a", "public"), ("x", "secret")))
    converted = RuleSet([book], private={"920": "x", "001": "*"}).convert(View(made, Settings()))
    assert converted.private == ("001", "920$x")
    assert converted.unmapped == ()


def test_conventions_hide_link_and_clean_fields(book):
    conventions = Conventions(
        is_private=lambda field: field.indicator1 == "0",
        link=lambda field: LinkedField(field, Linkage("01", "Cyrl", is_alternate=True)) if field.first("6") else None,
        cleans=lambda tag: True,
    )
    made = marc_record(
        data_field("900", ("a", " A  B "), ("6", "01")), data_field("910", ("b", "hidden"), indicator1="0")
    )
    converted = RuleSet([book], structural="6").convert(View(made, Settings(), conventions))
    assert converted.mods.title_info == (TitleInfo(title="A B", alt_rep_group="01", script="Cyrl"),)
    assert converted.private == ("910$b",)


def failing_adapter():
    book = RuleBook()

    @book.fields("name", t900="a", t901="a")
    def author(field, view):
        yield Name(name_part=(NamePart(value={"a": "b"}[field.first("a")]),))

    module = ModuleType("ours")
    module.Settings = Settings
    module.RULES = RuleSet([book])
    module.sniffs = lambda record: "900" in {field.tag for field in record.fields()}
    module.convert = lambda record, settings: module.RULES.convert(View(record, settings))
    return module


def test_an_exception_in_a_rule_rejects_the_record_and_names_the_rule():
    module = failing_adapter()
    assert module.convert(marc_record(data_field("900", ("a", "a"))), Settings()).mods.name
    with pytest.raises(CrosswalkError) as caught:
        module.convert(marc_record(data_field("900", ("a", "c"))), Settings())
    message = str(caught.value)
    assert message.startswith(f"{ORIGIN}, 001 n1: rule {__name__.rpartition('.')[2]}.author (900 901) for name failed")
    assert "KeyError: 'c'" in message
    assert caught.value.control_number == "n1"
    assert isinstance(caught.value.__cause__, KeyError)


@pytest.mark.parametrize("place", ["rule", "adapter"])
def test_a_plug_in_that_fails_costs_one_record(monkeypatch, place):
    module = failing_adapter()
    if place == "adapter":
        module.convert = lambda record, settings: Mods(title_info=record.title)
    loaded = adapters.load_adapter
    monkeypatch.setattr(adapters, "load_adapter", lambda stage, name: module if name == "ours" else loaded(stage, name))
    with pytest.raises(CrosswalkError, match=r"\(byte 1024\).* failed with (KeyError|AttributeError)"):
        crosswalk.convert(marc_record(data_field("900", ("a", "c"))), "ours")
    assert crosswalk.convert(marc_record(data_field("245", ("a", "T"))))[0] == "marc21"


@pytest.mark.parametrize("name", ["marc21", "rusmarc", "unimarc"])
def test_an_exception_in_a_built_in_rule_is_a_reject_too(monkeypatch, name):
    adapter = sys.modules[f"bibld.crosswalk.{name}"]
    made = marc_record(data_field("200", ("a", "T")), data_field("245", ("a", "T")))
    monkeypatch.setattr(View, "tagged", lambda view, tag: 1 / 0)
    with pytest.raises(CrosswalkError, match=r"rule \w+\.\w+ \(.*2[04].*\) for .* failed with ZeroDivisionError"):
        adapter.convert(made, adapter.Settings())


@pytest.mark.parametrize("name", ["marc21", "rusmarc", "unimarc"])
def test_every_built_in_rule_states_what_it_reads_and_writes(name):
    for rule in sys.modules[f"bibld.crosswalk.{name}"].RULES.rules:
        assert rule.writes
        assert rule.reads
        assert all(len(tag) == 3 for tag, _ in rule.reads)
        assert rule.build.__doc__

"""What a score is for, and in which form it is."""

from __future__ import annotations

import pytest

from bibld.text.designations import canonical, describe
from bibld.text.music import read_scoring


@pytest.mark.parametrize(
    ("titles", "forms", "expected"),
    [
        (["Пой с нами", "песни для голоса в сопровожд. баяна или аккордеона"], [], "for accordion and bayan and voice"),
        (["Пой с нами", "песни для голоса в сопровожд. гитары"], [], "for guitar and voice"),
        (["Концерт для скрипки с оркестром"], ["Партитура"], "for violin and orchestra, form full score"),
        (["Concerto for violin and orchestra"], ["1 vocal score (20 p.)"], None),
        (["Konzert für Violine und Klavier"], ["Stimmen"], "for violin and piano, form parts"),
        (["Школа беглости", "соч. 299", "для фп"], ["111 с."], "for piano"),
        (["Пьесы для ф.-п."], [], "for piano"),
        (["Pièces pour piano et violoncelle"], [], "for cello and piano"),
        (["Борис Годунов. Клавир"], [], "form vocal score or piano reduction"),
        (["Голос моря"], [], ""),
        (["Piano pieces"], ["1 score"], ""),
        ([], [], ""),
    ],
)
def test_instruments_and_form_are_read(titles, forms, expected):
    found = describe(canonical(read_scoring(titles, forms)))
    if expected is None:
        assert found == "for violin and orchestra, form vocal score or piano reduction"
    else:
        assert found == expected

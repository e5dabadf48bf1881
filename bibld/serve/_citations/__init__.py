"""Publications as references: in the words of a style of citation, and as files for reference managers.

``reference_of`` takes from a description what a reference needs; everything else writes that. All functions are pure.

>>> from bibld.model.mods import Mods, TitleInfo
>>> from bibld.serve._citations.files import STYLES
>>> from bibld.serve._citations.reference import reference_of
>>> STYLES["gost"](reference_of(Mods(title_info=(TitleInfo("Война и мир"),)), "https://example.org/1"))
'Война и мир.'
"""

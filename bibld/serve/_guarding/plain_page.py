"""The page of a request that is refused before the application: text without styles, so that it costs little."""

from __future__ import annotations

from html import escape

from bibld.serve._http import ProblemError
from bibld.serve._language import Language, Message, message


def plain_page(problem: ProblemError, language: Language) -> bytes:
    """Return a problem as a small HTML page in a language."""

    def shown(text: str) -> str:
        return escape(language.text(text) if isinstance(text, Message) else text)

    links = "".join(f'<li><a href="{escape(path)}">{escape(kind)}</a></li>' for kind, path in problem.alternates)
    listed = f"<h2>{shown(message('Available forms'))}</h2><ul>{links}</ul>" if links else ""
    return (
        f'<!DOCTYPE html><html lang="{language.tag}"><head><meta charset="utf-8">'
        '<meta name="viewport" content="width=device-width, initial-scale=1">'
        f'<meta name="color-scheme" content="light dark"><title>{shown(problem.title)}</title></head>'
        f"<body><main><p>{problem.status}</p><h1>{shown(problem.title)}</h1><p>{shown(problem.detail)}</p>"
        f"{listed}</main></body></html>"
    ).encode()

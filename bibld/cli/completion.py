"""``bibld completion``."""

from __future__ import annotations

import click
from click.shell_completion import get_completion_class


@click.command()
@click.argument("shell", type=click.Choice(["bash", "zsh", "fish"]))
def completion(shell: str) -> None:  # the line below is click's mark for text that is not wrapped
    """Print the script by which a shell completes bibld's commands, options and files.

    \b
    bash:  bibld completion bash > ~/.local/share/bash-completion/completions/bibld
    zsh:   bibld completion zsh > ~/.zfunc/_bibld    (a folder of $fpath)
    fish:  bibld completion fish > ~/.config/fish/completions/bibld.fish
    """  # noqa: D301
    from bibld.cli import command_line

    found = get_completion_class(shell)
    assert found is not None
    click.echo(found(command_line, {}, "bibld", "_BIBLD_COMPLETE").source())

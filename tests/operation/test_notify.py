"""Who is informed of a night: a command and a mail, on failure or always; one that fails is only a warning."""

from __future__ import annotations

import sys
from pathlib import Path

import msgspec
import pytest
from aiosmtpd.controller import Controller
from click.testing import CliRunner

from bibld import cli
from bibld.cli._notify import Ending, notify
from tests.configuration import load_config, write_config
from tests.ports import free_port

TABLE = "id,title\n1,Anna Karenina\n2,War and Peace\n"
SCRIPT = (
    "import os, sys; open('ending.json', 'wb').write(sys.stdin.buffer.read()); print(os.environ['BIBLD_EXIT_CODE'])"
)


def run(tmp_path: Path, more: str, table: str = TABLE):
    (tmp_path / "books.csv").write_text(table, encoding="utf-8")
    config = write_config(tmp_path, more, lib="books.csv")
    return CliRunner().invoke(cli.command_line, ["run", str(config), "--quiet"])


def command(script: str = SCRIPT, on: str = "failure") -> str:
    return (
        f"[notify]\non = \"{on}\"\ncommand = [{msgspec.json.encode(sys.executable).decode()}, \"-c\", '''{script}''']\n"
    )


@pytest.fixture
def mails():
    """A mail server on this machine; yields its port and what it has received."""
    received = []

    class Handler:
        async def handle_DATA(self, server, session, envelope):  # noqa: N802 - the name of the library
            received.append(envelope)
            return "250 OK"

    port = free_port()
    controller = Controller(Handler(), hostname="127.0.0.1", port=port, ready_timeout=600.0)
    controller.start()
    yield port, received
    controller.stop()


def test_a_command_receives_a_failed_night_as_json(tmp_path):
    done = run(tmp_path, command(), table="")
    assert done.exit_code == 4
    ending = msgspec.json.decode((tmp_path / "ending.json").read_bytes())
    assert ending["exit_code"] == 4
    assert "lib: in doubt and not loaded" in ending["messages"][0]


def test_a_good_night_is_silent_unless_all_are_wanted(tmp_path):
    assert run(tmp_path, command()).exit_code == 0
    assert not (tmp_path / "ending.json").exists()
    assert run(tmp_path, command(on="always")).exit_code == 0
    ending = msgspec.json.decode((tmp_path / "ending.json").read_bytes())
    assert ending["exit_code"] == 0
    assert "2 records in 2 clusters" in ending["summary"]


def test_a_mail_names_dataset_fault_and_workspace(tmp_path, mails):
    port, received = mails
    addresses = 'to = ["night@example.org"]\nsender = "bibld@example.org"'
    mail = f'[notify.mail]\n{addresses}\nserver = "127.0.0.1"\nport = {port}\n'
    assert run(tmp_path, mail, table="").exit_code == 4
    (envelope,) = received
    assert envelope.rcpt_tos == ["night@example.org"]
    text = envelope.content.decode()
    assert "kept its old state" in text
    assert str(tmp_path / "bibld.toml") in text.replace("=\r\n", "")


def test_names_that_are_no_text_and_titles_of_two_lines_are_sent(tmp_path, mails):
    port, received = mails
    mail = (
        f'{command()}[notify.mail]\nto = ["a@example.org"]\nsender = "b@example.org"\n'
        f'server = "127.0.0.1"\nport = {port}\n'
    )
    config = load_config(tmp_path, mail, lib="books.csv")
    dataset = msgspec.structs.replace(config.dataset, title={"en": "Books\nBcc: all@example.org"})
    ending = Ending(1, ("caf\udce9.mrc: cannot be read",), "1 \udcff")
    assert notify(msgspec.structs.replace(config, dataset=dataset), ending) == []
    (envelope,) = received
    assert b"Subject: bibld: Books Bcc: all@example.org has failed" in envelope.content
    assert "caf\\udce9.mrc" in envelope.content.decode()
    assert "caf\\udce9.mrc" in msgspec.json.decode((tmp_path / "ending.json").read_bytes())["messages"][0]


@pytest.mark.parametrize(
    ("where", "value"),
    [("to", '["a@example.org\\nx"]'), ("server", '"a\\u0000b"'), ("server", f'"{"a" * 70}.example"')],
)
def test_settings_that_no_mail_can_have_are_a_warning(tmp_path, where, value):
    keys = {"to": '["a@example.org"]', "sender": '"b@example.org"', "server": '"127.0.0.1"', "port": "1"} | {
        where: value
    }
    lines = "".join(f"{key} = {text}\n" for key, text in keys.items())
    config = load_config(tmp_path, f"[notify.mail]\n{lines}", lib="books.csv")
    (fault,) = notify(config, Ending(1))
    assert "the mail cannot be sent" in fault


@pytest.mark.parametrize(
    ("notify", "warning"),
    [
        (command("import sys; sys.exit('no network')"), "ended with 1: no network"),
        ('[notify]\ncommand = ["/nowhere/alert"]\n', "cannot be started: No such file or directory"),
        (
            '[notify.mail]\nto = ["a@example.org"]\nsender = "b@example.org"\nserver = "127.0.0.1"\nport = 1\n',
            "the mail cannot be sent through 127.0.0.1:1",
        ),
    ],
)
def test_a_notification_that_fails_is_a_warning(tmp_path, notify, warning):
    done = run(tmp_path, notify, table="")
    assert done.exit_code == 4
    assert warning in done.stderr


@pytest.mark.parametrize(
    ("notify", "fault"),
    [
        ('[notify]\non = "never"\n', "notify.on"),
        ('[notify.mail]\nsender = "b@example.org"\n', 'missing key "notify.mail.to"'),
        ('[notify.mail]\nto = []\nsender = "b@example.org"\n', "notify.mail.to"),
        ('[notify]\nmails = "x"\n', 'unknown key "notify.mails"; did you mean "mail"?'),
        ('[notify.mail]\nto = ["a@b.c"]\nsender = "b@c.d"\nsecurity = "ssl"\n', "notify.mail.security"),
    ],
)
def test_a_wrong_setting_is_reported_before_anything_is_started(tmp_path, notify, fault):
    done = run(tmp_path, notify)
    assert done.exit_code == 2
    assert fault in done.stderr

"""Informs people of how a run ended: ``[notify]`` starts a command, sends a mail, or both."""

from __future__ import annotations

import os
import smtplib
import ssl
import subprocess
from email.message import EmailMessage

import msgspec

from bibld.cli._language import terminal
from bibld.config import Config, MailConfig
from bibld.errors import ConfigError

_COMMAND_SECONDS = 60
_MAIL_SECONDS = 30
_ENDINGS = {
    0: "has finished",
    1: "has failed",
    3: "has finished, with too many rejects",
    4: "has finished, but a source kept its old state",
    130: "was interrupted",
}


class Ending(msgspec.Struct, frozen=True):
    """How a run ended: exit code, what explains it, the summary as text, empty if there is none, and the warnings."""

    exit_code: int
    messages: tuple[str, ...] = ()
    summary: str = ""
    warnings: tuple[str, ...] = ()


def notify(config: Config, ending: Ending) -> list[str]:
    """Start the command and send the mail of ``[notify]``, if it asks for them; return what went wrong.

    The command receives the ending as JSON on its standard input, and ``BIBLD_EXIT_CODE`` and ``BIBLD_CONFIG`` in its
    environment; it has a minute. What it prints is part of the message if it fails.
    """
    wanted = config.notify
    if ending.exit_code == 0 and wanted.on == "failure":
        return []
    messages, warnings = (tuple(map(_plain, texts)) for texts in (ending.messages, ending.warnings))
    ending = Ending(ending.exit_code, messages, _plain(ending.summary), warnings)
    faults = []
    if wanted.command:
        faults.append(_start(config, wanted.command, ending))
    if wanted.mail is not None:
        faults.append(_send(config, wanted.mail, ending))
    return [_plain(fault) for fault in faults if fault]


def _plain(text: str) -> str:
    """Return text that can be encoded: names of files may have bytes that are no UTF-8."""
    return text.encode("utf-8", "backslashreplace").decode()


def _in_one_line(text: str) -> str:
    return " ".join(_plain(text).split())


def _start(config: Config, command: tuple[str, ...], ending: Ending) -> str:
    environment = os.environ | {"BIBLD_EXIT_CODE": str(ending.exit_code), "BIBLD_CONFIG": str(config.file)}
    try:
        done = subprocess.run(
            command,
            input=msgspec.json.encode(ending),
            env=environment,
            cwd=config.folder,
            capture_output=True,
            timeout=_COMMAND_SECONDS,
            check=False,
        )
    except subprocess.TimeoutExpired:
        return f"[notify] command {command[0]} did not end within {_COMMAND_SECONDS} seconds and was stopped"
    except OSError as error:
        return f"[notify] command {command[0]} cannot be started: {error.strerror}; check the name and its permissions"
    except ValueError as error:
        return f"[notify] command {command[0]} cannot be started: {error}; check what is written in [notify]"
    if done.returncode:
        printed = (done.stderr or done.stdout).decode("utf-8", "replace").strip().splitlines()
        return f"[notify] command {command[0]} ended with {done.returncode}: {printed[-1] if printed else 'no message'}"
    return ""


def _send(config: Config, mail: MailConfig, ending: Ending) -> str:
    title = config.dataset.title.get("en") or next(iter(config.dataset.title.values()), config.file.name)
    words = terminal().text
    subject = f"bibld: {title} {words(_ENDINGS.get(ending.exit_code, f'ended with {ending.exit_code}'))}"
    paths = [f"Configuration: {config.file}", f"Workspace: {config.workspace}"]
    warnings = [f"warning: {text}" for text in ending.warnings]
    explained = map(words, (*ending.messages, *warnings))
    content = _plain("\n".join([*explained, "", ending.summary, "", *map(words, paths)]))
    try:
        message = EmailMessage()
        message["Subject"] = _in_one_line(subject)
        message["From"] = _in_one_line(mail.sender)
        message["To"] = _in_one_line(", ".join(mail.to))
        message.set_content(content)
        context = ssl.create_default_context()
        with _connected(mail, context) as server:
            if mail.security == "starttls":
                server.starttls(context=context)
            if mail.user is not None and mail.password is not None:
                server.login(mail.user.read(), mail.password.read())
            server.send_message(message)
    except (OSError, ValueError, smtplib.SMTPException, ConfigError) as error:
        return f"[notify] the mail cannot be sent through {mail.server}:{mail.port}: {error}"
    return ""


def _connected(mail: MailConfig, context: ssl.SSLContext) -> smtplib.SMTP:
    if mail.security == "tls":
        return smtplib.SMTP_SSL(mail.server, mail.port, timeout=_MAIL_SECONDS, context=context)
    return smtplib.SMTP(mail.server, mail.port, timeout=_MAIL_SECONDS)

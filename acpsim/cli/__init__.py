"""The commands. `main` finds one by name and loads it only then, so that `--help` is quick.

Owns: the table of commands and what all of them share: exit statuses, one-line errors, the edition
option, progress on standard error. A command module is options → call → view → exit status.

Exit statuses: 0 nothing found, 1 something found, 2 wrong usage or unreadable input (one line on
standard error), 3 nothing was tested, 130 stopped by Ctrl-C, 141 nobody reads the output any more.
"""

from __future__ import annotations

import contextlib
import io
import os
import sys
from collections.abc import Callable, Iterator
from importlib import import_module
from typing import TYPE_CHECKING, Any, Final, NoReturn, TypeAlias, TypeVar

import click

from acpsim import __version__
from acpsim.errors import UsageError
from acpsim.files import reason

if TYPE_CHECKING:
    from acpsim.wire.edition import Edition

FOUND: Final = 1
USAGE: Final = 2
NOTHING_TESTED: Final = 3
INTERRUPTED: Final = 130
UNREAD: Final = 141
"""As a shell reports a program that a closed pipe stopped: what was found is not known."""

Progress: TypeAlias = Callable[[float, str], None]
"""Takes how much is done and what to write beside the bar."""

Command = TypeVar("Command", bound=Callable[..., Any])

LINE_MAX: Final = 2000
"""Characters of a line that says what is wrong: names may come from files."""

COMMANDS: Final[dict[str, str]] = {
    "fuzz": "fuzz a reducer and report each distinct fault with a shrunk trace",
    "check": "check recorded conversations against the rules",
    "reduce": "print what a client holds at the end of a conversation",
    "replay": "run one saved counterexample or vector again",
    "show": "draw a conversation as a sequence diagram",
    "sim": "run a model and write its trace and figures",
    "fit": "write a model whose delays are those of recorded conversations",
    "mutants": "run the fuzzer on every seeded fault and say which it caught",
}
"""Command → what it does, in the order of `--help`."""


class Lazy(click.Group):
    """A group whose commands are imported when they are called."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        return list(COMMANDS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        if cmd_name not in COMMANDS:
            return None
        command: click.Command = import_module(f"acpsim.cli.{cmd_name}").command
        return command

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        with formatter.section("Commands"):
            formatter.write_dl(list(COMMANDS.items()))


@click.command(
    cls=Lazy,
    no_args_is_help=False,
    context_settings={"help_option_names": ["-h", "--help"]},
    epilog='Shell completion: eval "$(_ACPSIM_COMPLETE=bash_source acpsim)" (or zsh_source, '
    "fish_source). Exit status: 0 nothing found, 1 found, 2 wrong usage, 3 nothing tested.",
)
@click.version_option(__version__, prog_name="acpsim")
def group() -> None:
    """Fuzz, check and simulate Agent Client Protocol session lifecycles."""


def main() -> NoReturn:
    """The entry point of `acpsim`: runs a command and exits with its status."""
    for stream in (sys.stdout, sys.stderr):
        # A terminal that knows few characters shows the others as escapes and ends nothing.
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="backslashreplace")
    sys.exit(run(sys.argv[1:]))


def run(arguments: list[str]) -> int:
    """Run one command line; returns its exit status and never raises on what users do."""
    name = next((word for word in arguments if not word.startswith("-")), "")
    prefix = f"acpsim {name}" if name in COMMANDS else "acpsim"
    if sys.stdout is None:
        return _one_line(prefix, "standard output is closed; nobody would read what is found")
    try:
        status = group.main(arguments, prog_name="acpsim", standalone_mode=False)
        sys.stdout.flush()
        return status if isinstance(status, int) else 0
    except click.ClickException as error:
        return _one_line(prefix, _reworded(error))
    except UsageError as error:
        return _one_line(prefix, str(error))
    except (KeyboardInterrupt, click.Abort):
        click.echo(f"{prefix}: interrupted", err=True)
        return INTERRUPTED
    except BrokenPipeError:
        # Whoever read our output has seen enough. Python would complain once more at exit.
        _drop_output()
        return UNREAD
    except OSError as error:
        # Files are opened by `files`, which names them; what is left is mostly our own output.
        _drop_output()
        return _one_line(prefix, f"reading or writing failed: {reason(error)}")


def _drop_output() -> None:
    with contextlib.suppress(OSError, ValueError):
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def _reworded(error: click.ClickException) -> str:
    """What click says of wrong usage, as our sentences read."""
    match error:
        case click.NoSuchOption():
            known = error.possibilities or []
            near = f"; did you mean {' or '.join(known)}?" if known else ""
            return f"no such option: {error.option_name}{near}"
        case click.MissingParameter(param=click.Argument() as missing):
            metavar = missing.make_metavar(error.ctx or click.Context(group))
            return f"give a {metavar.rstrip('.')}"
        case click.BadParameter(param=click.Option() as option):
            text = error.message
            return f"{'/'.join(option.opts)}: {text[:1].lower()}{text[1:].rstrip('.')}"
    text = error.format_message().split("\n")[0].rstrip(".")
    if text == "Missing command":
        return "give a command; acpsim --help names them"
    return f"{text[:1].lower()}{text[1:]}"


def _one_line(prefix: str, text: str) -> int:
    from acpsim.views.escape import visible

    line = visible(" ".join(text.split()), LINE_MAX)
    click.echo(f"{prefix}: {line}", err=True)
    return USAGE


def edition_named(name: str | None) -> Edition | None:
    """The edition of that name, or `None` for none. Raises `UsageError`."""
    from acpsim.wire.edition import EDITIONS

    if name is None:
        return None
    if name not in EDITIONS:
        raise UsageError(f"--edition {name}: no such edition; one of {', '.join(EDITIONS)}")
    return EDITIONS[name]


def edition_default(default: str) -> Callable[[Command], Command]:
    """The edition option of a command whose default is said so."""
    return click.option(
        "--edition",
        metavar="NAME",
        help=f"The reading of the draft: draft or sdk-2.4. Default: {default}.",
    )


edition_option = edition_default("the trace header's, else draft")
seed_option = click.option(
    "--seed", type=int, default=0, show_default=True, help="Repeats a run exactly."
)
seed_unused = click.option("--seed", type=int, hidden=True, expose_value=False)
"""For commands that draw nothing at random: every command takes a seed, so that scripts may."""
target_option = click.option(
    "--target",
    default="reference",
    show_default=True,
    metavar="ADDRESS",
    help='The reducer: module:attribute, "cmd:COMMAND LINE", mutant:NAME or reference.',
)
format_option = click.option(
    "--format",
    "form",
    type=click.Choice(["text", "json"]),
    default="text",
    show_default=True,
    help="json prints one document on standard output and nothing else there.",
)


@contextlib.contextmanager
def progress(text: str, total: float | None) -> Iterator[Progress]:
    """A progress bar on standard error if that is a terminal, else nothing."""
    if not sys.stderr.isatty():
        yield lambda done, text: None
        return
    from rich.console import Console
    from rich.progress import BarColumn, Progress, TextColumn, TimeElapsedColumn

    columns = (
        TextColumn("{task.description}", markup=False),
        BarColumn(),
        TimeElapsedColumn(),
    )
    with Progress(*columns, console=Console(stderr=True), transient=True) as bar:
        task = bar.add_task(text, total=total)

        yield lambda done, text: bar.update(task, completed=done, description=text)

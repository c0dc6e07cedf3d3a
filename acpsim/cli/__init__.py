"""The commands. `main` finds one by name and loads it only then, so that `--help` is quick.

Owns: the table of commands, exit statuses, one-line errors. A command module is options → call →
view → exit status; `options`, `output` and `progress` are what they share.

Exit statuses: 0 nothing found, 1 something found, 2 wrong usage or unreadable input (one line on
standard error), 3 nothing was tested, 130 stopped by Ctrl-C, 141 nobody reads the output any more.
"""

from __future__ import annotations

import contextlib
import io
import os
import sys
from importlib import import_module
from typing import Final, NoReturn

import click
from click.shell_completion import CompletionItem

from acpsim import __version__
from acpsim.errors import UsageError
from acpsim.files import reason

FOUND: Final = 1
USAGE: Final = 2
NOTHING_TESTED: Final = 3
INTERRUPTED: Final = 130
UNREAD: Final = 141
"""As a shell reports a program that a closed pipe stopped: what was found is not known."""

LINE_MAX: Final = 2000
"""Characters of a line that says what is wrong: names may come from files."""

COMMANDS: Final[dict[str, str]] = {
    "fuzz": "fuzz a reducer and report each distinct fault with a shrunk trace",
    "check": "check recorded conversations against the rules",
    "reduce": "print what a client holds at the end of a conversation",
    "replay": "run one saved counterexample or vector again",
    "show": "draw a conversation as a sequence diagram",
    "explore": "run every order of a small scenario that can be told from the others",
    "commute": "try which neighbours a reducer takes for ordered that commute",
    "sweep": "put a client's action at every position of a conversation",
    "sim": "run a model and write its trace and figures",
    "fit": "write a model whose delays are those of recorded conversations",
    "bench": "measure what a reducer costs: throughput, latency, growth, memory",
    "report": "write the pages of reports/: rules, coverage, ambiguities, performance",
    "mutants": "run the fuzzer on every seeded fault and say which it caught",
    "vectors": "run, list or write out test vectors",
}
"""Command → what it does, in the order of `--help`."""


EPILOG = """\b
Exit status: 0 nothing found, 1 found, 2 wrong usage, 3 nothing tested, 130 stopped by Ctrl-C.

\b
Shell completion:
  eval "$(_ACPSIM_COMPLETE=bash_source acpsim)"    bash; zsh: zsh_source
  _ACPSIM_COMPLETE=fish_source acpsim | source     fish
"""


class Lazy(click.Group):
    """A group whose commands are imported when they are called."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        return list(COMMANDS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        if cmd_name not in COMMANDS:
            return None
        command: click.Command = import_module(f"acpsim.cli.{cmd_name}").command
        return command

    def shell_complete(self, ctx: click.Context, incomplete: str) -> list[CompletionItem]:
        """The commands by name, none of them imported: nobody waits a second for a word."""
        items = [CompletionItem(name, help=text) for name, text in COMMANDS.items()]
        found = [item for item in items if item.value.startswith(incomplete)]
        return found + click.Command.shell_complete(self, ctx, incomplete)

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        with formatter.section("Commands"):
            formatter.write_dl(list(COMMANDS.items()))


@click.command(
    cls=Lazy,
    no_args_is_help=False,
    context_settings={"help_option_names": ["-h", "--help"]},
    epilog=EPILOG,
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

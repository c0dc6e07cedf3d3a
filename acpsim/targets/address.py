"""From what `--target` says to a target.

Owns: the four forms of an address, and what is said where one cannot be followed: each such case is
a `UsageError` that names the address, what is wrong with it and what would be right.
"""

from __future__ import annotations

import contextlib
import errno
import importlib
import os
import shlex
import shutil
import sys
from collections.abc import Callable
from types import ModuleType
from typing import Final, NoReturn

from acpsim.errors import UsageError
from acpsim.targets.inprocess import (
    InProcessTarget,
    NotAReducer,
    PythonReducer,
    TimeUp,
    aside,
)
from acpsim.targets.mutants import MUTANTS
from acpsim.targets.mutants.canary import CANARY
from acpsim.targets.reference import ReferenceTarget
from acpsim.targets.stdio import StdioTarget
from acpsim.targets.target import (
    ANSWER_TIMEOUT_S,
    Target,
    TargetFailure,
    UnknownSection,
    nearest,
    one_line,
    raised,
)
from acpsim.wire.edition import Edition

FORMS: Final = "module:attribute, mutant:NAME, cmd:COMMAND LINE or reference"


def open_target(address: str, *, edition: Edition, timeout_s: float = ANSWER_TIMEOUT_S) -> Target:
    """The target at an address, started and asked for its sections. Raises `UsageError`.

    A program runs from here on: whoever opens a target closes it.
    """
    scheme, colon, rest = address.partition(":")
    if address == "reference":
        return ReferenceTarget(edition)
    if not colon:
        _refuse(address, f"names no target; give {FORMS}")
    if scheme == "mutant":
        return _open_mutant(address, rest, edition)
    if scheme == "cmd":
        return _open_program(address, rest, edition, timeout_s)
    return _open_python(address, edition, timeout_s)


def _refuse(address: str, text: str) -> NoReturn:
    raise UsageError(f"--target {address}: {text}")


def _open_mutant(address: str, name: str, edition: Edition) -> Target:
    mutant = CANARY if name == CANARY.name else MUTANTS.get(name)
    if mutant is None:
        close = nearest(name, list(MUTANTS)) or "; acpsim mutants --list names them all"
        _refuse(address, f"no such mutant{close}")
    return mutant.target(edition)


def _open_program(address: str, line: str, edition: Edition, timeout_s: float) -> Target:
    try:
        words = shlex.split(line)
    except ValueError as error:
        _refuse(address, f"cannot be split into words: {str(error).lower()}")
    if not words:
        _refuse(address, "names no program; give a command line, such as cmd:node reducer.mjs")
    _check_program(address, words[0])
    target = StdioTarget(line, edition=edition, timeout_s=timeout_s)
    try:
        target.start()
    except OSError as error:
        _refuse(address, _why_not_started(error, words[0]))
    except TargetFailure as failure:
        said = _telling_line(failure.last_words)
        _refuse(address, failure.text + (f"; it said: {one_line(said)}" if said else ""))
    return target


def _telling_line(last_words: str) -> str:
    """The one line of a program's last words to show where there is room for one.

    Interpreters end a traceback with the error or, as Node does, with their own version.
    """
    lines = [line for line in last_words.splitlines() if line.strip()]
    errors = [line for line in lines if "error" in line.lower()]
    return (errors or lines or [""])[-1]


def _check_program(address: str, program: str) -> None:
    """Says what is wrong with a program's name before the system says it in fewer words."""
    if shutil.which(program):
        return
    if os.sep not in program:
        here = f"; for the file here write ./{program}" if os.path.isfile(program) else ""
        _refuse(address, f"no such program{here or '; give a path or a name on PATH'}")
    if os.path.isdir(program):
        _refuse(address, "is a directory; give a program")
    if os.path.exists(program):
        _refuse(
            address,
            "not executable; allow it (chmod +x) or name its interpreter, as in cmd:node FILE",
        )
    _refuse(address, "no such program; give a path or a name on PATH")


def _why_not_started(error: OSError, program: str) -> str:
    if error.errno == errno.ENOEXEC:
        return "not a program that the system can run; a script begins with a line like #!/bin/sh"
    if error.errno == errno.ENOENT and os.path.exists(program):
        return "its first line names an interpreter that is not there"
    return f"cannot be started: {error.strerror}"


def _open_python(address: str, edition: Edition, timeout_s: float) -> Target:
    module_name, _, attribute = address.partition(":")
    if module_name.endswith(".py"):
        stem = os.path.basename(module_name).removesuffix(".py")
        _refuse(address, f"is a file; give its module's name, {stem}:{attribute or 'Reducer'}")
    if not all(part.isidentifier() for part in module_name.split(".")):
        _refuse(address, f'"{module_name}" is no name of a module; give {FORMS}')
    if not attribute:
        _refuse(address, "names no attribute; give module:attribute, such as my_reducer:Reducer")
    factory = _find(address, _import(address, module_name), attribute)
    try:
        return InProcessTarget(factory, name=address, edition=edition, timeout_s=timeout_s)
    except (NotAReducer, UnknownSection) as wrong:
        _refuse(address, str(wrong))
    except TimeUp:
        _refuse(address, f"calling {attribute} had not returned after {timeout_s:g} s")
    except KeyboardInterrupt:
        raise
    except BaseException as error:
        failure = raised(error, asked=f'start with edition "{edition.name}"')
        _refuse(address, failure.text)


def _import(address: str, name: str) -> ModuleType:
    """Imports a module as `python -m` would find it: the current directory first."""
    with contextlib.suppress(OSError):
        here = os.getcwd()
        if "" not in sys.path and here not in sys.path:
            sys.path.insert(0, here)
    try:
        with aside():
            return importlib.import_module(name)
    except KeyboardInterrupt:
        raise
    except ModuleNotFoundError as error:
        if error.name is not None and f"{name}.".startswith(f"{error.name}."):
            _refuse(
                address, f"no module {error.name} in the current directory or on the Python path"
            )
        _refuse(address, f"importing {name}: it needs the module {error.name}, which is not there")
    except SyntaxError as error:
        _refuse(address, f"importing {name}: {error.filename}:{error.lineno}: {error.msg}")
    except BaseException as error:
        failure = raised(error, asked=f"be imported as {name}")
        _refuse(address, failure.text)


def _find(address: str, module: ModuleType, attribute: str) -> Callable[[str], PythonReducer]:
    found: object = module
    for part in attribute.split("."):
        if not hasattr(found, part):
            known = [name for name in dir(found) if not name.startswith("_")]
            where = getattr(found, "__name__", module.__name__)
            _refuse(address, f'{where} has no "{part}"{nearest(part, known)}')
        found = getattr(found, part)
    if not callable(found):
        _refuse(
            address,
            f"{attribute} is {type(found).__name__}, not callable; "
            "give a class or a function that takes the edition's name",
        )
    return found

"""acpsim: a simulator, fuzzer and checker for Agent Client Protocol session lifecycles.

The names below are the public ones; each is imported when it is first asked for, so that a program
that reads traces does not wait for the simulator's libraries.
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any, Final

if TYPE_CHECKING:
    from acpsim.errors import UsageError
    from acpsim.fuzz.campaign import Options as FuzzOptions
    from acpsim.fuzz.campaign import run as fuzz_campaign
    from acpsim.oracles.agreement import judge_agreement
    from acpsim.oracles.compare import Difference, first_difference
    from acpsim.oracles.counterexample import Counterexample, judge_vector, replay
    from acpsim.oracles.counterexample import load as load_counterexample
    from acpsim.oracles.laws import LAWS, judge_law
    from acpsim.oracles.verdict import Verdict
    from acpsim.reducer import SECTIONS, Reducer, fold
    from acpsim.rules.check import Checker, check
    from acpsim.rules.finding import Finding, Report
    from acpsim.rules.registry import RULES
    from acpsim.rules.stream import check_stream
    from acpsim.sim.experiment import experiment, parse_sweep
    from acpsim.sim.model import Model, load_model, shipped_models
    from acpsim.sim.run import run as simulate
    from acpsim.targets.address import open_target
    from acpsim.targets.mutants import MUTANTS
    from acpsim.targets.target import Target, TargetFailure
    from acpsim.wire.edition import DRAFT, EDITIONS, SDK_2_4, Edition
    from acpsim.wire.trace import Diagnostic, Event, Trace, TraceReader, read_trace, write_trace
    from acpsim.wire.vector import Vector, read_vector

__version__ = "0.1.0"

__all__ = [
    "DRAFT",
    "EDITIONS",
    "LAWS",
    "MUTANTS",
    "RULES",
    "SDK_2_4",
    "SECTIONS",
    "Checker",
    "Counterexample",
    "Diagnostic",
    "Difference",
    "Edition",
    "Event",
    "Finding",
    "FuzzOptions",
    "Model",
    "Reducer",
    "Report",
    "Target",
    "TargetFailure",
    "Trace",
    "TraceReader",
    "UsageError",
    "Vector",
    "Verdict",
    "check",
    "check_stream",
    "experiment",
    "first_difference",
    "fold",
    "fuzz_campaign",
    "judge_agreement",
    "judge_law",
    "judge_vector",
    "load_counterexample",
    "load_model",
    "open_target",
    "parse_sweep",
    "read_trace",
    "read_vector",
    "replay",
    "shipped_models",
    "simulate",
    "write_trace",
]

_HOMES: Final = {
    "errors": "UsageError",
    "fuzz.campaign": "Options:FuzzOptions run:fuzz_campaign",
    "oracles.agreement": "judge_agreement",
    "oracles.compare": "Difference first_difference",
    "oracles.counterexample": "Counterexample judge_vector load:load_counterexample replay",
    "oracles.laws": "LAWS judge_law",
    "oracles.verdict": "Verdict",
    "reducer": "SECTIONS Reducer fold",
    "rules.check": "Checker check",
    "rules.finding": "Finding Report",
    "rules.registry": "RULES",
    "rules.stream": "check_stream",
    "sim.experiment": "experiment parse_sweep",
    "sim.model": "Model load_model shipped_models",
    "sim.run": "run:simulate",
    "targets.address": "open_target",
    "targets.mutants": "MUTANTS",
    "targets.target": "Target TargetFailure",
    "wire.edition": "DRAFT EDITIONS SDK_2_4 Edition",
    "wire.trace": "Diagnostic Event Trace TraceReader read_trace write_trace",
    "wire.vector": "Vector read_vector",
}
"""Module → what it gives to the public, `name:public name` where the two differ."""

_PUBLIC: Final = {
    entry.rpartition(":")[2]: (module, entry.partition(":")[0])
    for module, entries in _HOMES.items()
    for entry in entries.split()
}


def __getattr__(name: str) -> Any:
    if name not in _PUBLIC:
        raise AttributeError(f"module 'acpsim' has no attribute {name!r}")
    module, attribute = _PUBLIC[name]
    value = getattr(import_module(f"acpsim.{module}"), attribute)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return [*globals(), *__all__]

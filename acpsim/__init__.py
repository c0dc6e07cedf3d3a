"""acpsim: a simulator, fuzzer and checker for Agent Client Protocol session lifecycles.

The names below are the public ones; each is imported when it is first asked for, so that a program
that reads traces does not wait for the simulator's libraries.
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any, Final

if TYPE_CHECKING:
    from acpsim.errors import UsageError
    from acpsim.explore.certificate import Certificate
    from acpsim.explore.certificate import explore as certify
    from acpsim.explore.commute import audit as audit_commuting
    from acpsim.explore.named import find as find_scenario
    from acpsim.fuzz.campaign import Options as FuzzOptions
    from acpsim.fuzz.campaign import run as fuzz_campaign
    from acpsim.fuzz.measuring import Plan as MutantPlan
    from acpsim.fuzz.measuring import measure as measure_mutants
    from acpsim.fuzz.recorded import recorded_scenarios
    from acpsim.measure.core import growth
    from acpsim.measure.subject import decoders, subject
    from acpsim.measure.versus import versus
    from acpsim.measure.workload import workload
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
    from acpsim.sim.fit import Delays, fit
    from acpsim.sim.fitted import Shape, model_text
    from acpsim.sim.model import Model, load_model, override, parse_model, shipped_models
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
    "Certificate",
    "Checker",
    "Counterexample",
    "Delays",
    "Diagnostic",
    "Difference",
    "Edition",
    "Event",
    "Finding",
    "FuzzOptions",
    "Model",
    "MutantPlan",
    "Reducer",
    "Report",
    "Shape",
    "Target",
    "TargetFailure",
    "Trace",
    "TraceReader",
    "UsageError",
    "Vector",
    "Verdict",
    "audit_commuting",
    "certify",
    "check",
    "check_stream",
    "decoders",
    "experiment",
    "find_scenario",
    "first_difference",
    "fit",
    "fold",
    "fuzz_campaign",
    "growth",
    "judge_agreement",
    "judge_law",
    "judge_vector",
    "load_counterexample",
    "load_model",
    "measure_mutants",
    "model_text",
    "open_target",
    "override",
    "parse_model",
    "parse_sweep",
    "read_trace",
    "read_vector",
    "recorded_scenarios",
    "replay",
    "shipped_models",
    "simulate",
    "subject",
    "versus",
    "workload",
    "write_trace",
]

_HOMES: Final = {
    "errors": "UsageError",
    "explore.certificate": "Certificate explore:certify",
    "explore.commute": "audit:audit_commuting",
    "explore.named": "find:find_scenario",
    "fuzz.campaign": "Options:FuzzOptions run:fuzz_campaign",
    "fuzz.measuring": "Plan:MutantPlan measure:measure_mutants",
    "fuzz.recorded": "recorded_scenarios",
    "measure.core": "growth",
    "measure.subject": "decoders subject",
    "measure.versus": "versus",
    "measure.workload": "workload",
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
    "sim.fit": "Delays fit",
    "sim.fitted": "Shape model_text",
    "sim.model": "Model load_model override parse_model shipped_models",
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
